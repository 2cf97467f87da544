/** Servers of one project on one PostgreSQL behind HAProxy, which sends requests to those whose `/readyz` answers 200. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { adminKey, probe } from "../databases/outage.js";
import { type HttpServed, serveHttp } from "../http.js";
import { freePort } from "../ports.js";
import { generatedRoot, temporaryFolder } from "../project.js";

/** Why there is no balancer; empty if there is one. */
export const NO_BALANCER =
  spawnSync("haproxy", ["-v"]).status === 0 ? "" : " (haproxy is not installed: apt-get install haproxy)";

/** How often the balancer looks at each server, and how many refusals take it out. */
const CHECK_MS = 200;
const FALL = 2;
/** For how long a server that shuts down still answers: longer than the balancer takes to notice. */
const DELAY_MS = 5 * CHECK_MS * FALL;

type Later = (clean: () => unknown) => void;

/** Starts the balancer before the ports of servers; returns its address. */
export async function startBalancer(port: number, servers: readonly number[], later: Later): Promise<string> {
  const file = join(temporaryFolder(later), "haproxy.cfg");
  const lines = [
    "defaults",
    "  mode http",
    "  timeout connect 2s",
    "  timeout client 60s",
    "  timeout server 60s",
    "  timeout check 2s",
    "  retries 3",
    "  option redispatch 1",
    "listen tools",
    `  bind 127.0.0.1:${port}`,
    "  balance roundrobin",
    "  option httpchk GET /readyz",
    "  http-check expect status 200",
    `  default-server check inter ${CHECK_MS}ms fall ${FALL} rise 1`,
    ...servers.map((one) => `  server s${one} 127.0.0.1:${one}`),
    "",
  ];
  writeFileSync(file, lines.join("\n"));
  const child = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  later(() => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300; tries++) {
    const status = await probe({ url }, "/readyz").catch(() => 0);
    if (status !== 0 && status !== 503) return url;
    await sleep(50);
  }
  throw new Error("the balancer has no server that answers");
}

/** Servers behind a balancer. */
export interface Balanced {
  /** Address of the balancer. */
  readonly url: string;
  readonly key: string;
  readonly count: number;
  /** The processes of the servers. */
  pids(): readonly number[];
  /** Ends a server with a signal, waits for its end, and starts it again; resolves once it is ready. */
  restart(index: number, signal: NodeJS.Signals): Promise<void>;
}

/** A project with ops that store something. */
function projectRoot(database: string, later: Later): Promise<string> {
  const definitions = join(temporaryFolder(later), "definitions");
  mkdirSync(definitions);
  const lines = [
    "use: [ot, oubliette]",
    "sources: []",
    `state: ${JSON.stringify(database)}`,
    "access: { rate: { burst: 1000000, per_second: 1000000 } }",
    `http: { allowed_hosts: [127.0.0.1], drain: { delay_ms: ${DELAY_MS}, grace_ms: 5000 } }`,
    "",
  ];
  writeFileSync(join(definitions, "toolwright.yaml"), lines.join("\n"));
  return generatedRoot(definitions, later);
}

/** Starts servers on copies of one project, and the balancer before them; the first ones of a database make its key. */
export async function startBalanced(database: string, count: number, later: Later, known?: string): Promise<Balanced> {
  const port = await freePort();
  const first = await projectRoot(database, later);
  const key = known ?? (await adminKey(first, database));
  const places: { readonly root: string; readonly port: number }[] = [];
  for (let i = 0; i < count; i++) {
    const root = i === 0 ? first : temporaryFolder(later);
    if (i > 0) cpSync(first, root, { recursive: true });
    places.push({ root, port: await freePort() });
  }
  const start = ({ root, port }: (typeof places)[number]): Promise<HttpServed> =>
    serveHttp(root, ["--allow-write"], later, port);
  const servers = await Promise.all(places.map(start));
  const url = await startBalancer(
    port,
    places.map((one) => one.port),
    later,
  );
  return {
    url,
    key,
    count,
    pids: () => servers.flatMap(({ child }) => child.pid ?? []),
    async restart(index, signal) {
      const [server, place] = [servers[index], places[index]];
      if (!server || !place) throw new Error(`no server ${index}`);
      server.signal(signal);
      await server.exit;
      servers[index] = await start(place);
      while ((await probe(servers[index], "/readyz").catch(() => 0)) !== 200) await sleep(20);
      await sleep(3 * CHECK_MS);
    },
  };
}
