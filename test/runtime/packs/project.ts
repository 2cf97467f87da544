/** A generated project that uses the shipped packs, opened as the server opens it. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { Validator } from "../../../runtime/codegen.js";
import { type RuntimeConfig, settingsOf } from "../../../runtime/config/settings.js";
import { fail } from "../../../runtime/contract/handler.js";
import { createOpGateway, type Gateway, localPrincipal } from "../../../runtime/gateway/gateway.js";
import { openProject, readProject } from "../../../runtime/gateway/project.js";
import { guardedFetch } from "../../../runtime/http-client/guard.js";
import { loadedFeatures } from "../../support/loaded-features.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder } from "../../support/project.js";
import { KEYS } from "./doubles.js";

/** Generates a project with the three packs. */
export async function packsRoot(configuration: string, remove?: (clean: () => void) => void): Promise<string> {
  const definitions = join(temporaryFolder(remove), "definitions");
  mkdirSync(definitions, { recursive: true });
  writeFileSync(join(definitions, "toolwright.yaml"), `use: [brave, web, llm]\nsources: []\n${configuration}\n`);
  return generatedRoot(definitions, remove);
}

/** One such project for all tests of a file. */
export function sharedRoot(): () => string {
  let root = "";
  const cleanings: (() => void)[] = [];
  beforeAll(async () => {
    root = await packsRoot("", (clean) => cleanings.push(clean));
  });
  afterAll(() => {
    for (const clean of cleanings) clean();
  });
  return () => root;
}

/** How a project differs from one with all keys whose doubles are on 127.0.0.1. */
export interface Change {
  readonly config?: Omit<RuntimeConfig, "sources">;
  readonly secrets?: Readonly<Record<string, string>>;
}

/** A project under test. */
export interface Opened {
  readonly gateway: Gateway;
  /** Every line of the log, as text. */
  readonly lines: readonly string[];
  exec(op: string, args: object, signal?: AbortSignal): Promise<Json>;
}

const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  brave: () => import("../../../definitions/packs/brave.js"),
  llm: () => import("../../../definitions/packs/llm.js"),
  web: () => import("../../../definitions/packs/web.js"),
};

/** The generated validators of a pack, with the seam as it was bundled: Node itself imports no TypeScript. */
export async function validatorsOf(root: string, pack: string): Promise<ReadonlyMap<string, Validator>> {
  const seam = pathToFileURL(join(CHECKOUT, "dist", "runtime", "codegen.js")).href;
  const text = readFileSync(join(root, "generated", "validators", `${pack}.js`), "utf8");
  const code = Buffer.from(text.replace('"toolwright/codegen"', JSON.stringify(seam))).toString("base64");
  const { validators } = await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
  return new Map(Object.entries(validators as Readonly<Record<string, Validator>>));
}

/** Opens a generated project in this process. */
export async function openPacks(root: string, { config = {}, secrets = KEYS }: Change = {}): Promise<Opened> {
  const data = await readProject(root);
  const given: RuntimeConfig = { sources: [], web: { allow_private: ["127.0.0.1"] }, ...config };
  const { settings } = settingsOf(
    given,
    data.registry,
    { instructions: "", packInstructions: new Map(), toolExamples: new Map() },
    {},
    () => undefined,
  );
  const opened = openProject({
    ...data,
    version: "0",
    root,
    config: given,
    settings,
    shipped: (pack) => MODULES[pack]?.(),
  });
  const project = { ...opened, validators: (pack: string) => validatorsOf(root, pack) };
  const lines: string[] = [];
  const line = (message: string, fields?: object): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const gateway = createOpGateway(project, {
    openState: async () => fail("UNAVAILABLE", "no state in this test"),
    features: await loadedFeatures(given),
    log: { debug: line, info: line, warn: line, error: line },
    secret: (name) => secrets[name],
    fetch: guardedFetch({ allowPrivate: settings.web.allowPrivate }),
  });
  const principal = localPrincipal(settings);
  const exec = (op: string, args: object, signal?: AbortSignal) =>
    gateway.dispatch({ op, args }, principal, signal ? { signal } : {}) as Promise<Json>;
  return { gateway, lines, exec };
}
