// The second client of the liveness test, a separate process: pings a server at a fixed interval, whether or not the
// last ping was answered. Starts at the line "start" on stdin; at the line "stop" it prints its measurements as one
// line of JSON, and ends.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createConnection } from "node:net";

const { target, everyMs, graceMs } = JSON.parse(process.argv[2] ?? "{}");
const PING = '{"jsonrpc":"2.0","id":ID,"method":"ping"}';

const MAX_PENDING = 4;

const times = [];
const faults = new Set();
const pending = new Map();
let lastId = 0;

/** Milliseconds for which the main thread of a process was ready to run and had no processor; 0 where the system does not count them. */
function waited(pid) {
  if (pid === undefined) return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

let ownBefore = waited(process.pid);
let turn;

/** The time of this turn of the event loop, and how long its events were there before: since the last turn, without a processor. */
function clock() {
  if (turn === undefined) {
    turn = { now: performance.now(), server: waited(target.pid), late: waited(process.pid) - ownBefore };
    setImmediate(() => {
      turn = undefined;
      ownBefore = waited(process.pid);
    });
  }
  return turn;
}

const fault = (text) => faults.add(text);

function answered(id) {
  const from = pending.get(id);
  if (from === undefined) return;
  pending.delete(id);
  const to = clock();
  for (const one of from) {
    const ms = to.now - one.now;
    times.push([ms, Math.max(0, ms - (to.server - one.server) - to.late)]);
  }
}

/** Sends over a Unix domain socket, on one connection that is opened again where it is lost. */
function overSocket(path) {
  let socket;
  const open = () => {
    let text = "";
    socket = createConnection(path);
    socket.setEncoding("utf8").on("data", (chunk) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) if (line.includes('"result"')) answered(JSON.parse(line).id);
    });
    socket.on("error", (error) => fault(error.message));
    socket.once("close", () => {
      fault("the connection was closed");
      setTimeout(open, 50).unref();
    });
  };
  open();
  return (id) => void socket.write(`${PING.replace("ID", id)}\n`);
}

/** Sends over HTTP, on connections that are kept. */
function overHttp(url, headers) {
  const agent = new Agent({ keepAlive: true });
  const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
  return (id) => {
    const sent = request(url, { method: "POST", headers: all, agent }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === 200) answered(id);
        else fault(`HTTP status ${response.statusCode}`);
      });
    });
    sent.on("error", (error) => fault(error.message)).end(PING.replace("ID", id));
  };
}

const send = target.socket === undefined ? overHttp(target.url, target.headers) : overSocket(target.socket);

/** Sends a ping. Where several wait for their answer, it counts as answered with the last of them, so that pings are no flood themselves. */
function ping() {
  if (pending.size >= MAX_PENDING) {
    pending.get(lastId)?.push(clock());
    return;
  }
  const id = ++lastId;
  pending.set(id, [clock()]);
  send(id);
}

async function settled(ms) {
  for (const end = performance.now() + ms; pending.size > 0 && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 10));
}

const commands = {
  start: () => {
    timer = setInterval(ping, everyMs);
  },
  stop: async () => {
    clearInterval(timer);
    await settled(graceMs);
    process.stdout.write(`${JSON.stringify({ times, faults: [...faults], unanswered: pending.size })}\n`, () =>
      process.exit(0),
    );
  },
};
let timer;
process.stdin.setEncoding("utf8").on("data", (text) => {
  for (const line of text.trim().split("\n")) void commands[line]?.();
});
process.stdin.once("end", () => process.exit(0));

// The first pings load what the server loads lazily, and do not count.
for (let i = 0; i < 20; i++) {
  ping();
  await settled(graceMs);
}
times.length = 0;
process.stdout.write(pending.size === 0 ? "ready\n" : `${JSON.stringify({ failed: [...faults] })}\n`);
