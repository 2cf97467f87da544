/** One state of the whole repository, with objects in two projects of each pack and a key of every kind, over every transport. */

import { spawn } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import * as onto from "../../../../definitions/onto/handlers.js";
import { handlers as util } from "../../../../definitions/onto/util-handlers.js";
import { shippedModules } from "../../../../definitions/packs/_modules.js";
import { handlers as web } from "../../../../definitions/packs/_web-handlers.js";
import { handlersIn } from "../../../../runtime/call/handlers.js";
import type { Bound, Principal } from "../../../../runtime/codegen.js";
import { silentLog } from "../../../../runtime/config/log.js";
import { type RuntimeConfig, settingsOf } from "../../../../runtime/config/settings.js";
import { createOpGateway, type Gateway } from "../../../../runtime/gateway/gateway.js";
import { openProject, readProject } from "../../../../runtime/gateway/project.js";
import { openState, type State } from "../../../../runtime/state/open.js";
import { loadedFeatures } from "../../../support/loaded-features.js";
import { CHECKOUT, type Json, temporaryFolder } from "../../../support/project.js";
import { editKey } from "../../../support/servers/socket-server.js";
import { validatorsOf } from "../../packs/project.js";
import type { Holder, Objects } from "./model.js";

/** What is open. */
export interface World {
  readonly root: string;
  readonly url: string;
  readonly socket: string;
  /** The gateway of this process. */
  readonly gateway: Gateway;
  /** Ops whose handlers this process has called. */
  readonly handled: readonly string[];
  readonly keys: Readonly<Record<Holder, string>>;
  readonly objects: Readonly<Record<"one" | "two" | "none", Objects>>;
  /** A call by the owner, which must succeed. */
  ok(op: string, args: object): Promise<Json>;
  /** Every row that is not about calls, and every key, as text. */
  rows(): Promise<string>;
}

/** Ends things in the opposite order. */
type Later = (clean: () => unknown) => void;

const RATE = { burst: 1_000_000, per_second: 1_000_000 };
/** Nothing here may be refused for its number; every op is a tool of its own as well. */
const CONFIG = {
  expose: { hot: ["*"], signatures: 0 },
  budget: { exposed: 1_000_000 },
  access: { rate: RATE },
} as const;

const OWNER: Principal = { kind: "local", id: "local", grant: { level: "admin", projects: "*" }, allowWrite: true };

/** A root of this repository with such a configuration. */
export function openedRoot(later: Later): string {
  const root = temporaryFolder(later);
  mkdirSync(join(root, "definitions"));
  for (const name of readdirSync(join(CHECKOUT, "definitions")))
    if (name !== "toolwright.yaml") symlinkSync(join(CHECKOUT, "definitions", name), join(root, "definitions", name));
  symlinkSync(join(CHECKOUT, "generated"), join(root, "generated"));
  const file = join(root, "definitions", "toolwright.yaml");
  cpSync(join(CHECKOUT, "definitions", "toolwright.yaml"), file);
  for (const [key, value] of Object.entries(CONFIG)) appendFileSync(file, `\n${key}: ${JSON.stringify(value)}\n`);
  return root;
}

/** Opens it all. */
export async function openWorld(later: Later): Promise<World> {
  const root = openedRoot(later);
  const state = await openState({ url: "", root });
  later(() => state.close());
  const handled: string[] = [];
  const gateway = await gatewayOf(root, handled);
  later(() => gateway.close());
  const ok = async (op: string, args: object): Promise<Json> => {
    const envelope: Json = await gateway.dispatch({ op, args }, OWNER);
    if (!envelope.ok) throw new Error(`${op} failed: ${JSON.stringify(envelope)}`);
    return envelope.result;
  };
  const objects = { one: await objectsOf(ok, "one"), two: await objectsOf(ok, "two") };
  const none = Object.fromEntries(
    Object.entries(objects.two).map(([kind, id]) => [kind, `${id.slice(0, -8)}${"a".repeat(8)}`]),
  );
  const keys = await keysOf(root, gateway, objects.one);
  const { url, socket } = await serveBoth(root, later);
  return {
    root,
    url,
    socket,
    gateway,
    handled,
    keys,
    objects: { ...objects, none },
    ok,
    rows: () => rowsOf(root, state),
  };
}

/** The project of the root in this process; each handler that is called is written down. */
async function gatewayOf(root: string, handled: string[]): Promise<Gateway> {
  const data = await readProject(root);
  const config: RuntimeConfig = { sources: [], ...CONFIG };
  const none = { instructions: "", packInstructions: new Map(), toolExamples: new Map() };
  const { settings } = settingsOf(config, data.registry, none, {}, () => undefined);
  const opened = openProject({ ...data, version: "0", root, config, settings, shipped: shippedModules });
  const own = new Map([
    ...handlersIn(onto, "onto"),
    ...(Object.entries({ ...util, ...web }) as [string, Bound<never, unknown>][]),
  ]);
  const handler = async (op: string) => {
    handled.push(op);
    return own.get(op) ?? opened.handler(op);
  };
  const objects = async () => [
    { objects: onto.storedObjects, tables: onto.tables },
    ...((await opened.objects?.()) ?? []),
  ];
  const project = { ...opened, handler, objects, validators: (pack: string) => validatorsOf(CHECKOUT, pack) };
  const features = await loadedFeatures(config);
  return createOpGateway(project, { openState: () => openState({ url: "", root }), log: silentLog, features });
}

const ENTITIES = [
  ["task", { title: "T" }],
  ["goal", { name: "G" }],
  ["plan", { name: "P" }],
  ["document", { title: "D" }],
  ["milestone", { title: "M", due_at: "2026-12-01T09:00:00Z" }],
  ["risk", { title: "R", impact: "high" }],
  ["requirement", { text: "Q" }],
] as const;

/** A project of each pack with one object of every kind. */
async function objectsOf(ok: World["ok"], name: string): Promise<Objects> {
  const { project, id_map } = await ok("onto.project.create", {
    project: { name, type_key: "project.business.launch" },
    entities: ENTITIES.map(([kind, fields]) => ({ temp_id: kind, kind, ...fields })),
    relationships: [
      [
        { temp_id: "task", kind: "task" },
        { temp_id: "goal", kind: "goal" },
      ],
    ],
  });
  const { outgoing } = await ok("onto.entity.relationships.get", { entity_id: id_map.task });
  const { id: prj } = await ok("oubliette.project.create", { name });
  const session = await ok("oubliette.session.create", { project_id: prj });
  const workspace = await ok("oubliette.workspace.create", { project_id: prj, name });
  return {
    ...id_map,
    project: project.id,
    edge: outgoing[0].edge_id,
    prj,
    session: session.id,
    workspace: workspace.id,
  };
}

/** A key of every kind, made and ended by the real store. */
async function keysOf(root: string, { keys }: Gateway, { prj, project }: Objects): Promise<World["keys"]> {
  const make = (scope: string) => keys.create({ name: scope.replaceAll(/\W/g, "-"), scope }, "local");
  const text = async (scope: string): Promise<string> => (await make(scope)).key;
  const [expired, revoked] = [await make("admin"), await make("admin")];
  await keys.revoke(revoked.record.key_id);
  editKey(
    root,
    { key: expired.key, key_id: expired.record.key_id },
    { expires_at: new Date(Date.now() - 1).toISOString() },
  );
  return {
    admin: await text("admin"),
    write: await text("write"),
    read: await text("read"),
    "admin:ro": await text("admin:ro"),
    "project:prj": await text(`project:${prj}`),
    "project:prj:ro": await text(`project:${prj}:ro`),
    "project:proj": await text(`project:${project}`),
    expired: expired.key,
    revoked: revoked.key,
    garbage: "garbage",
  };
}

/** One process that listens on HTTP and on the socket. */
export async function serveBoth(
  root: string,
  later: Later,
): Promise<{ readonly url: string; readonly socket: string }> {
  const socket = join(root, ".onetool", "run", "s.sock");
  const launcher = join(CHECKOUT, "generator/launch.mjs");
  const args = ["serve", "--http", "0", "--socket", socket, "--root", root, "--log-level", "warn"];
  const child = spawn(process.execPath, [launcher, ...args], { cwd: CHECKOUT, stdio: ["pipe", "ignore", "pipe"] });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  later(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  for (;;) {
    const [, url] = /listening on (http\S+)/.exec(stderr) ?? [];
    if (url !== undefined && stderr.includes(`listening on ${socket}`)) return { url, socket };
    if (child.exitCode !== null) throw new Error(stderr);
    await sleep(10);
  }
}

/** Tables that say who called and what was seen, and are written at any time: nothing of what calls changed. */
const OF_CALLS = /^(?:stat_|audit$|jobs$|key_uses$|learned$|sqlite_|server_secrets$)/;

async function rowsOf(root: string, state: State): Promise<string> {
  const tables = await state.transaction("read", async (tx) => {
    const db = tx as never;
    const { rows } = await sql<{
      name: string;
    }>`select name from sqlite_master where type = 'table' order by name`.execute(db);
    const all: [string, unknown][] = [];
    for (const { name } of rows)
      if (!OF_CALLS.test(name)) all.push([name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows]);
    return all;
  });
  return JSON.stringify([tables, readFileSync(join(root, ".onetool", "keys"), "utf8")], undefined, 1);
}
