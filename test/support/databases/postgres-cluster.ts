/** A separate PostgreSQL for tests that restart and freeze it; the shared server is not affected. */

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../ports.js";
import { RUNS_SLOW } from "../random.js";

/** A private cluster on a port of the loopback address. */
export interface Cluster {
  readonly url: string;
  readonly port: number;
  /** `pg_ctl restart`; resolves when it answers again. */
  restart(mode: "fast" | "immediate"): void;
  /** Stops it, and starts it again after a while; resolves when it answers. Does not hold up this process. */
  outage(mode: "fast" | "immediate", ms: number): Promise<void>;
  /** Restarts it as a standby in recovery, which only reads. */
  demote(): void;
  promote(): void;
  /** Stops all of its processes without ending them (SIGSTOP), and lets them go on. */
  freeze(): void;
  thaw(): void;
  /** Runs statements as its owner. */
  sql(statements: string): string;
  /** Writes garbage over the file of a table while the server is stopped. */
  garble(table: string): void;
}

const LIBRARY = "/usr/lib/postgresql";
const IS_ROOT = process.getuid?.() === 0;

function binaries(): string | undefined {
  const versions = existsSync(LIBRARY) ? readdirSync(LIBRARY).filter((one) => /^\d+$/.test(one)) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  const folder = newest && join(LIBRARY, newest, "bin");
  return folder && existsSync(join(folder, "initdb")) ? folder : undefined;
}

const BIN = binaries();
function canBecomePostgres(): boolean {
  return spawnSync("runuser", ["-u", "postgres", "--", "true"]).status === 0;
}

/** Why there can be no cluster here; empty where there can. */
export const NO_CLUSTER = whyNoCluster();

function whyNoCluster(): string {
  if (!RUNS_SLOW) return " (skipped: a cluster of its own needs SLOW=1)";
  if (BIN === undefined) return " (skipped: no initdb below /usr/lib/postgresql)";
  if (IS_ROOT && !canBecomePostgres()) return " (skipped: root cannot become the user postgres)";
  return "";
}

/** PostgreSQL refuses to run as root. */
function ownerCommand(program: string, args: readonly string[]): readonly [command: string, args: readonly string[]] {
  const path = join(BIN ?? "", program);
  return IS_ROOT ? ["runuser", ["-u", "postgres", "--", path, ...args]] : [path, args];
}

function asOwner(program: string, args: readonly string[]): string {
  const [command, all] = ownerCommand(program, args);
  return execFileSync(command, all, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], cwd: tmpdir() });
}

/** The processes that a process has started, by what the system says. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return Number(parent) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Starts a cluster, and removes it afterwards. */
export async function startCluster(later: (clean: () => void) => void): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-cluster-"));
  if (IS_ROOT) execFileSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  const port = await freePort();
  const options = `-k ${folder} -h 127.0.0.1 -p ${port} -F -c max_connections=40`;
  asOwner("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--no-locale"]);
  // What the server inherits it keeps open: its output goes to a file.
  const controlled = (...args: readonly string[]) => ["-D", data, "-w", "-s", "-l", `${folder}/log`, ...args];
  const control = (...args: readonly string[]) => asOwner("pg_ctl", controlled(...args));
  const controlLater = async (...args: readonly string[]): Promise<void> => {
    const [command, all] = ownerCommand("pg_ctl", controlled(...args));
    await promisify(execFile)(command, [...all], { cwd: tmpdir() });
  };
  control("-o", options, "start");
  const signal = (name: NodeJS.Signals): void => {
    const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    for (const pid of [postmaster, ...childrenOf(postmaster)])
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
  };
  later(() => {
    signal("SIGCONT");
    asOwner("pg_ctl", ["-D", data, "-m", "immediate", "-s", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  });
  const sql = (statements: string): string =>
    asOwner("psql", ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-qAtc", statements]);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    restart: (mode) => void control("-o", options, "-m", mode, "restart"),
    async outage(mode, ms) {
      await controlLater("-m", mode, "stop");
      await sleep(ms);
      await controlLater("-o", options, "start");
    },
    demote() {
      control("-m", "fast", "stop");
      writeFileSync(join(data, "standby.signal"), "");
      if (IS_ROOT) execFileSync("chown", ["postgres", join(data, "standby.signal")]);
      control("-o", options, "start");
    },
    promote: () => void control("promote"),
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    sql,
    garble(table) {
      const file = join(data, sql(`select pg_relation_filepath('${table}')`).trim());
      control("-m", "fast", "stop");
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xa5));
      control("-o", options, "start");
    },
  };
}
