/** PgBouncer in transaction mode before a database of its own, from Debian's package. */

import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../support/ports.js";
import { temporaryFolder } from "../../support/project.js";

/** Why there is no pooler; empty if there is one. */
export const NO_POOLER =
  spawnSync("pgbouncer", ["--version"]).status === 0 ? "" : " (pgbouncer is not installed: apt-get install pgbouncer)";

/** A database, by way of the pooler and without it. */
export interface Pooled {
  readonly pooled: string;
  readonly direct: string;
}

/**
 * Creates a database and starts a pooler before it.
 *
 * @param server URL of a PostgreSQL that takes any user without a password
 */
export async function startPooler(server: string, later: (clean: () => unknown) => void): Promise<Pooled> {
  const name = `t_${randomBytes(8).toString("hex")}`;
  const statement = async (text: string): Promise<void> => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await statement(`create database ${name}`);
  later(() => statement(`drop database ${name} with (force)`));
  const direct = new URL(server);
  direct.pathname = `/${name}`;
  const folder = temporaryFolder(later);
  const port = await freePort();
  const lines = [
    "[databases]",
    `* = host=${direct.hostname} port=${direct.port || "5432"}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "pool_mode = transaction",
    "default_pool_size = 8",
    "auth_type = trust",
    `auth_file = ${join(folder, "users.txt")}`,
    "",
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, lines.join("\n"));
  writeFileSync(join(folder, "users.txt"), `"${direct.username}" ""\n`);
  for (const [path, mode] of [
    [folder, 0o755],
    [file, 0o644],
    [join(folder, "users.txt"), 0o644],
  ] as const)
    chmodSync(path, mode);
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const [command, args] = isRoot
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", "pgbouncer", file]]
    : ["pgbouncer", [file]];
  const child = spawn(command, args as string[], { stdio: "ignore" });
  later(() => child.kill("SIGKILL"));
  const pooled = new URL(direct);
  pooled.host = `127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries++) {
    if (await listens(port)) return { pooled: pooled.href, direct: direct.href };
    await sleep(50);
  }
  throw new Error("PgBouncer does not listen");
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => socket.end(() => resolve(true)));
    socket.once("error", () => resolve(false));
  });
