// Starts `npm start` on a free port, asks the server for the console and the registry as a browser would, and stops it.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_MS = 180_000;
const child = spawn("npm", ["start", "--", "--http", "0"], { detached: true, stdio: ["ignore", "inherit", "pipe"] });
const ended = new Promise((resolve) => child.once("exit", resolve));

async function address() {
  let text = "";
  for await (const chunk of child.stderr.setEncoding("utf8")) {
    process.stderr.write(chunk);
    text += chunk;
    const [, found] = /^console at (\S+)$/m.exec(text) ?? [];
    if (found && text.includes("to connect a client")) return found;
  }
  throw new Error("npm start ended without serving");
}

async function ask(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.text();
}

try {
  const late = sleep(LONGEST_MS, undefined, { ref: false }).then(() =>
    Promise.reject(new Error("npm start takes too long")),
  );
  const base = await Promise.race([address(), late]);
  const page = await ask(base);
  for (const [, path] of page.matchAll(/(?:src|href)="(\/[^"]+)"/g)) await ask(new URL(path, base));
  const { packs } = JSON.parse(await ask(new URL("/api/registry", base)));
  const ops = packs.flatMap((pack) => pack.ops);
  if (ops.length === 0) throw new Error("the registry is empty");
  console.log(`the console is served, with ${ops.length} ops`);
} finally {
  // npm, its shell and the server are one group of processes.
  if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
  await ended;
}
