/** A state database that cannot be used: the start reports reason and remedy, and so does each call if it happens while serving. */

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import LibsqlDatabase from "libsql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { create, exec, names, probe, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import { eachCase } from "../../support/each-case.js";
import { type HttpServed, serveHttp } from "../../support/http.js";
import { CHECKOUT, serverCommand, toolwright } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 120_000;
const home = (root: string): string => join(root, ".onetool");
const file = (root: string): string => join(home(root), "state.db");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let used = "";

/** A root whose state database holds data and is not open: everything is in the one file. */
beforeAll(async () => {
  used = await statefulRoot({ later });
  const server = await serveHttp(used, ["--allow-write"], later);
  await store(server);
  server.signal("SIGTERM");
  await server.exit;
  const database = new LibsqlDatabase(file(used));
  database.pragma("wal_checkpoint(truncate)");
  database.close();
  for (const side of ["-wal", "-shm"]) rmSync(`${file(used)}${side}`, { force: true });
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

async function store(server: HttpServed): Promise<void> {
  const description = "y".repeat(2000);
  for (let i = 0; i < 40; i++)
    await exec(server, { op: "oubliette.project.create", args: { name: `project ${i}`, description } });
}

/** A root of its own with a copy of the state. */
async function copy(): Promise<string> {
  const root = await statefulRoot();
  mkdirSync(home(root), { recursive: true, mode: 0o700 });
  for (const name of ["state.db", "state.used"]) cpSync(join(home(used), name), join(home(root), name));
  return root;
}

/** Writes over the middle of a file, in its place. */
function garble(path: string, from = 0.3, to = 0.7): void {
  const { size } = statSync(path);
  const handle = openSync(path, "r+");
  writeSync(handle, Buffer.alloc(Math.floor(size * (to - from)), 0xa5), 0, undefined, Math.floor(size * from));
  closeSync(handle);
}

function onFile(root: string, ...statements: readonly string[]): void {
  const database = new LibsqlDatabase(file(root));
  for (const statement of statements) database.exec(statement);
  database.pragma("wal_checkpoint(truncate)");
  database.close();
}

const SPOILT: readonly (readonly [what: string, spoil: (root: string) => void, says: RegExp, remedy: RegExp])[] = [
  ["holds garbage in its middle", (root) => garble(file(root)), /is damaged/, /restore it from a copy/],
  ["begins with garbage", (root) => garble(file(root), 0, 0.05), /is damaged/, /restore it from a copy/],
  ["is cut short", (root) => truncateSync(file(root), 40_960), /is damaged/, /restore it from a copy/],
  ["is no database", (root) => writeFileSync(file(root), "no database ".repeat(500)), /no database/, /restore it/],
  [
    "is a folder",
    (root) => {
      rmSync(file(root));
      mkdirSync(file(root));
    },
    /state\.db is a directory/,
    /move it away/,
  ],
  [
    "was emptied",
    (root) => truncateSync(file(root), 0),
    /state\.db is empty, although it held data/,
    /restore it from a copy.*remove/,
  ],
  [
    "was removed without its log",
    (root) => {
      renameSync(file(root), `${file(root)}-wal`);
    },
    /state\.db is gone, although its log state\.db-wal is there/,
    /restore it from a copy.*remove/,
  ],
  [
    "lies in what is no folder",
    (root) => {
      rmSync(home(root), { recursive: true });
      writeFileSync(home(root), "");
    },
    /\.onetool is no directory/,
    /move it away/,
  ],
  [
    "is a link that leads nowhere",
    (root) => {
      rmSync(file(root));
      symlinkSync("nowhere/state.db", file(root));
    },
    /state\.db is a link that leads nowhere/,
    /correct it/,
  ],
  [
    "was replaced by one without tables",
    (root) => {
      rmSync(file(root));
      onFile(root, "create table other (a)");
    },
    /has no tables, although it held data/,
    /restore/,
  ],
  [
    "is of a newer version",
    (root) => onFile(root, "insert into migrations values (99, 'later', 'now')"),
    /has version 99/,
    /install the version/,
  ],
];

describe("at the start", () => {
  eachCase(SPOILT, "holds garbage in its middle", "was emptied")(
    "a state database that %s ends serve and exec, which say what to do",
    { timeout: SLOW },
    async (_what, spoil, says, remedy) => {
      const root = await copy();
      spoil(root);
      const before = existsSync(file(root)) && statSync(file(root)).isFile() ? readFileSync(file(root)) : undefined;
      const commands = [
        ["serve", "--http", "0"],
        // Its standard input ends at once.
        ["serve", "--stdio"],
        ["exec", "oubliette.project.list"],
        ["run", "-c", "1"],
      ];
      for (const command of commands) {
        const ran = await toolwright([...command, "--root", root]);
        expect(ran.stderr).toMatch(says);
        expect(ran.stderr).toMatch(remedy);
        expect({ command, code: ran.code, stdout: ran.stdout }).toEqual({ command, code: 2, stdout: "" });
      }
      const { stdout, code } = await toolwright(["doctor", "--root", root]);
      expect(stdout).toMatch(says);
      expect(code).toBe(1);
      // A foreign database is not written; opening our own changes only its journal mode.
      const isKept = before && readFileSync(file(root)).subarray(100).equals(before.subarray(100));
      if (before) expect(isKept).toBe(true);
    },
  );

  const canChangeUser = spawnSync("runuser", ["-u", "nobody", "--", "true"]).status === 0;
  test.skipIf(!canChangeUser || process.getuid?.() !== 0)(
    "one that may not be written, or not be read (needs root and runuser)",
    { tags: "full", timeout: SLOW },
    async () => {
      const root = await copy();
      const { command, args } = serverCommand(root, ["--http", "0"]);
      const asOther = () => {
        const given = ["-u", "nobody", "--", command, ...args.filter((one) => one !== "--stdio")];
        return spawnSync("runuser", given, { encoding: "utf8", timeout: 60_000, cwd: CHECKOUT });
      };
      spawnSync("chown", ["nobody", root, home(root)]);
      spawnSync("chown", ["root", file(root)]);
      for (const mode of [0o444, 0o000]) {
        chmodSync(file(root), mode);
        const ran = asOther();
        expect(ran.stderr).toMatch(/\.onetool\/state\.db cannot be read and written \(EACCES\)/);
        expect(ran.status).toBe(2);
      }
    },
  );

  test("one that was removed is made anew, and the log says so", { tags: "full", timeout: SLOW }, async () => {
    const root = await copy();
    rmSync(file(root));
    const server = await serveHttp(root, ["--allow-write"]);
    expect(server.stderr()).toMatch(/state\.db was removed since it was last used: a new one is made/);
    expect(await names(server)).toEqual([]);
  });

  test("an empty one that was never used does not count as emptied", { timeout: SLOW }, async () => {
    const root = await statefulRoot();
    mkdirSync(home(root), { recursive: true, mode: 0o700 });
    writeFileSync(file(root), "");
    const ran = await toolwright(["exec", "oubliette.project.list", "--root", root]);
    expect(ran.code, ran.stderr).toBe(0);
  });
});

describe("while serving", () => {
  eachCase<readonly [string, (root: string) => void, string]>(
    [
      ["is emptied", (root) => truncateSync(file(root), 0), "emptied"],
      ["is cut short", (root) => truncateSync(file(root), 40_960), "damaged"],
      ["is overwritten", (root) => garble(file(root), 0, 1), "damaged"],
      ["is removed", (root) => rmSync(file(root)), "changed"],
      ["loses its log", (root) => rmSync(`${file(root)}-wal`), "changed"],
      ["has its log emptied", (root) => truncateSync(`${file(root)}-wal`, 0), "damaged"],
      ["has its log cut short", (root) => truncateSync(`${file(root)}-wal`, 8192), "damaged"],
      [
        "is replaced",
        (root) => {
          renameSync(file(root), `${file(root)}.old`);
          cpSync(`${file(root)}.old`, file(root));
        },
        "changed",
      ],
    ],
    ...["is overwritten", "is removed"],
  )(
    "a state database that %s: calls answer UNAVAILABLE with the reason, and the server is not ready",
    { tags: "full", timeout: SLOW },
    async (_what, spoil, reason) => {
      const root = await copy();
      const server = await serveHttp(root, ["--allow-write"]);
      expect((await exec(server, create("early"))).answer.ok).toBe(true);
      expect((await names(server)).length).toBe(41);
      spoil(root);
      for (const call of [create("late"), { op: "oubliette.project.list" }]) {
        const { answer } = await exec(server, call);
        expect(answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason } });
        expect(answer.error.message).toMatch(/restart the server/);
      }
      expect(await probe(server, "/readyz")).toBe(503);
      expect(await probe(server, "/healthz")).toBe(200);
      expect(server.child.exitCode).toBeNull();
    },
  );

  test("another writer of the same file, and a checkpoint, are nothing to speak of", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const root = await copy();
    const server = await serveHttp(root, ["--allow-write"]);
    expect((await exec(server, create("mine"))).answer.ok).toBe(true);
    onFile(root, "delete from oubliette_projects where name = 'project 1'");
    expect((await exec(server, create("mine too"))).answer.ok).toBe(true);
    expect((await names(server)).length).toBe(41);
    expect(await probe(server, "/readyz")).toBe(200);
  });
});

test("what holds data in .onetool/ is its owner's alone, also where it was not", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await copy();
  writeFileSync(join(home(root), "log"), "older\n", { mode: 0o644 });
  appendFileSync(join(root, "definitions", "toolwright.yaml"), "log: { file: .onetool/log }\n");
  chmodSync(file(root), 0o644);
  const server = await serveHttp(root, ["--allow-write"]);
  await exec(server, create("private"));
  for (const name of ["state.db", "state.db-wal", "state.db-shm", "state.used", "log"])
    expect([name, (statSync(join(home(root), name)).mode & 0o777).toString(8)]).toEqual([name, "600"]);
  const fresh = await statefulRoot();
  expect((await toolwright(["exec", "oubliette.project.list", "--root", fresh])).code).toBe(0);
  expect((statSync(file(fresh)).mode & 0o777).toString(8)).toBe("600");
});

describe.skipIf(NO_DATABASE !== "")(`PostgreSQL${NO_DATABASE}`, () => {
  const statement = async (url: URL, text: string): Promise<void> => {
    const client = new pg.Client(url.href);
    await client.connect();
    await client.query(text);
    await client.end();
  };

  test.each<[string, string, RegExp]>([
    [
      "is of a newer version",
      "insert into migrations values (99, 'later', 'now')",
      /has version 99.*install the version/,
    ],
    ["is read-only", "alter role current_user set default_transaction_read_only = on", /is read-only/],
  ])("a database that %s ends serve and exec", { timeout: SLOW, tags: "slow" }, async (what, text, says) => {
    const url = await startSharedDatabase(onTestFinished);
    const root = await statefulRoot();
    const server = await serveWithState(root, url.href);
    await exec(server, create("before"));
    if (what === "is read-only")
      url.searchParams.set("options", `${url.searchParams.get("options") ?? ""} -c default_transaction_read_only=on`);
    else await statement(url, text);
    for (const command of [
      ["serve", "--http", "0"],
      ["exec", "oubliette.project.list"],
    ]) {
      const ran = await toolwright([...command, "--root", root, "--state", url.href]);
      expect(ran.stderr).toMatch(says);
      expect(ran.code).toBe(2);
    }
  });

  test("tables that go away while serving are an outage with its reason", { tags: "full", timeout: SLOW }, async () => {
    const url = await startSharedDatabase(onTestFinished);
    const server = await serveWithState(await statefulRoot(), url.href);
    await exec(server, create("before"));
    await statement(url, "drop table oubliette_events, oubliette_sessions, oubliette_workspaces, oubliette_projects");
    const { answer } = await exec(server, create("after"));
    expect(answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "emptied" } });
  });

  test("tables that are gone at the start are not made anew without a word", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const url = await startSharedDatabase(onTestFinished);
    const root = await statefulRoot();
    const server = await serveWithState(root, url.href);
    await exec(server, create("before"));
    const schema = /search_path=(\w+)/.exec(url.searchParams.get("options") ?? "")?.[1] ?? "public";
    await statement(url, `drop schema ${schema} cascade; create schema ${schema}`);
    const says = /PostgreSQL database .*has no tables, although it held data: restore it from a copy; to begin anew/;
    for (const command of [["serve", "--http", "0"], ["exec", "oubliette.project.list"], ["doctor"]]) {
      const state = command[0] === "doctor" ? [] : ["--state", url.href];
      const ran = await toolwright([...command, "--root", root, ...state], { env: { TOOLWRIGHT_STATE: url.href } });
      expect(ran.stdout + ran.stderr).toMatch(says);
      expect(ran.code).toBe(command[0] === "doctor" ? 1 : 2);
    }
    for (const name of readdirSync(home(root))) if (name.startsWith("state.used")) rmSync(join(home(root), name));
    const anew = await toolwright(["exec", "oubliette.project.list", "--root", root, "--state", url.href]);
    expect(anew.code, anew.stderr).toBe(0);
  });

  test("a server starts while its database is away, and serves once it is there", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const server = await serveWithState(
      await statefulRoot({ config: ["# away"] }),
      "postgres://postgres@127.0.0.1:1/none",
    );
    expect((await exec(server, create("x"))).answer.error).toMatchObject({ code: "UNAVAILABLE" });
    expect(await probe(server, "/readyz")).toBe(503);
  });
});
