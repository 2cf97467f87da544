/**
 * This repository's own project in this process, with a database and a key store of its own: the real packs oubliette
 * and onto.
 */

import * as ontoModule from "../../../definitions/onto/handlers.js";
import type { Keys } from "../../../runtime/access/keys.js";
import { keyPrincipal } from "../../../runtime/access/principal.js";
import type { CallOptions } from "../../../runtime/call/call.js";
import { handlersIn } from "../../../runtime/call/handlers.js";
import type { JsonObject, Principal } from "../../../runtime/codegen.js";
import { settingsOf } from "../../../runtime/config/settings.js";
import { fail } from "../../../runtime/contract/handler.js";
import { createOpGateway, type Gateway } from "../../../runtime/gateway/gateway.js";
import { openProject, readProject } from "../../../runtime/gateway/project.js";
import { loadedFeatures } from "../../support/loaded-features.js";
import { CHECKOUT, type Json } from "../../support/project.js";
import type { Place, TestDatabase } from "../state/databases.js";
import { validatorsOf } from "./project.js";

/** The pack over one database. */
export interface World {
  readonly place: Place;
  readonly gateway: Gateway;
  readonly keys: Keys;
  /** Every line of the log, as text. */
  readonly lines: readonly string[];
  /** The owner of everything. */
  readonly admin: Principal;
  /** The caller with a new key. */
  caller(scope: string): Promise<Principal>;
  /** The envelope of a call. */
  exec(op: string, args: object, who?: Principal, more?: object, hooks?: CallOptions): Promise<Json>;
  /** The result of a call that must succeed. */
  ok(op: string, args?: object, who?: Principal): Promise<Json>;
  /** The error of a call that must fail. */
  refused(op: string, args?: object, who?: Principal): Promise<Json>;
  /** Moves the clock. */
  wait(ms: number): void;
  close(): Promise<void>;
}

const none = { instructions: "", packInstructions: new Map(), toolExamples: new Map() };

/** How a world differs from one of its own with every op. */
export interface WorldOptions {
  /** Shares its database and keys. */
  readonly beside?: World;
  /** The op that it does not have. */
  readonly without?: string;
}

/** Opens it on a fresh place, or on one that has another already. */
export async function openWorld(database: TestDatabase, { beside, without }: WorldOptions = {}): Promise<World> {
  const place = beside?.place ?? (await database.place());
  const whole = await readProject(CHECKOUT);
  const tools = whole.registry.tools.filter(({ op }) => op !== without);
  const data = { ...whole, registry: { ...whole.registry, tools } };
  const config = { sources: [], state: place.url };
  const { settings } = settingsOf(config, data.registry, none, {}, () => undefined);
  const shipped = (pack: string) =>
    pack === "oubliette" ? import("../../../definitions/packs/oubliette.js") : undefined;
  const opened = openProject({ ...data, version: "0", root: place.root, config, settings, shipped });
  const onto = handlersIn(ontoModule, "onto");
  const project = {
    ...opened,
    validators: (pack: string) => validatorsOf(CHECKOUT, pack),
    handler: async (op: string) => onto.get(op) ?? opened.handler(op),
    objects: async () => [
      { objects: ontoModule.storedObjects, tables: ontoModule.tables },
      ...((await opened.objects?.()) ?? []),
    ],
  };
  const lines: string[] = [];
  const line = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: line, info: line, warn: line, error: line };
  let offset = 0;
  const clock = () => Date.now() + offset;
  const gateway = createOpGateway(project, {
    openState: place.open,
    features: await loadedFeatures(config),
    log,
    clock,
    fetch: async () => fail("UNAVAILABLE", "no network in this test"),
  });
  const { keys } = gateway;
  const admin: Principal = {
    kind: "local",
    id: "local",
    grant: { level: "admin", projects: "*" },
    allowWrite: true,
  };
  const exec = (op: string, args: object, who = admin, more = {}, hooks?: CallOptions) =>
    gateway.dispatch({ op, args, ...more }, who, hooks) as Promise<Json>;
  return {
    place,
    gateway,
    keys,
    lines,
    admin,
    exec,
    async caller(scope) {
      const { key } = await keys.create({ name: scope, scope }, "local");
      const live = await keys.verify(key);
      if (!live) throw new Error(`the new key for ${scope} is not live`);
      return keyPrincipal(live);
    },
    async ok(op, args = {}, who = admin) {
      const envelope = await exec(op, args, who);
      if (!envelope.ok) throw new Error(`${op} failed: ${JSON.stringify(envelope)}`);
      return envelope.result;
    },
    async refused(op, args = {}, who = admin) {
      const envelope = await exec(op, args, who);
      if (envelope.ok) throw new Error(`${op} did not fail: ${JSON.stringify(envelope)}`);
      return envelope.error;
    },
    wait: (ms) => {
      offset += ms;
    },
    async close() {
      await gateway.close();
      if (!beside) await place.remove();
    },
  };
}

/** An envelope without what differs from call to call: the trace, the time taken, and the id that was sent. */
export const sameBut = (envelope: Json, id = "no id"): string =>
  JSON.stringify({ ...envelope, meta: { ...envelope.meta, trace_id: "", latency_ms: 0 } } as JsonObject).replaceAll(
    id,
    "ID",
  );

let names = 0;

/** A project; its id. */
export const newProject = async (world: World, name = `project ${++names}`): Promise<string> =>
  (await world.ok("oubliette.project.create", { name })).id;

/** A session; its id. */
export const newSession = async (world: World, project_id: string, more = {}): Promise<string> =>
  (await world.ok("oubliette.session.create", { project_id, ...more })).id;

/** Ops of the pack that a caller sees. */
export const opsOf = ({ gateway }: World, who: Principal): readonly string[] =>
  gateway.index.view(who.grant).listed.flatMap(({ op, group }) => (group === "oubliette" ? [op] : []));
