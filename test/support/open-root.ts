/**
 * Projects with extension tools: the demo's registry with files of `.onetool/tools/`, and a gateway over it in this
 * process.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { toolComparison } from "../../core/changes.js";
import { shippedModules } from "../../definitions/packs/_modules.js";
import { FEATURES } from "../../features/list.js";
import { toolsFromSnapshot } from "../../generator/cli/snapshot-tools.js";
import type { JsonObject, Principal } from "../../runtime/codegen.js";
import type { Envelope } from "../../runtime/contract/error-body.js";
import { loadFeatures } from "../../runtime/gateway/features.js";
import { createOpGateway, type Gateway, localPrincipal } from "../../runtime/gateway/gateway.js";
import { openStart, type Start } from "../../runtime/gateway/open-project.js";
import type { OpenedProject } from "../../runtime/gateway/project.js";
import { packageConfig } from "./package-build.js";

/** Files by their name below `.onetool/tools/`. */
export type ToolFiles = Readonly<Record<string, string>>;

/** Writes extension files into a project. */
export function writeTools(root: string, files: ToolFiles): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, ".onetool", "tools", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** A project opened in this process. */
export interface Opened {
  readonly project: OpenedProject;
  readonly gateway: Gateway;
  /** A call by a principal with write access, or by `who`. */
  exec(op: string, args?: JsonObject, who?: Partial<Principal>): Promise<Envelope>;
  run(command: string, who?: Partial<Principal>): Promise<string>;
  readonly lines: readonly string[];
}

/** Opens a root; `more` is added to its toolwright.yaml. */
export async function openRoot(
  root: string,
  more = "",
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Opened> {
  const read = (file: string): string => {
    const text = readFileSync(join(root, "definitions", file), "utf8");
    return file === "toolwright.yaml" ? `${text}${more}` : text;
  };
  const { config } = packageConfig(read);
  const nothing = (): void => undefined;
  const start: Start = {
    root,
    version: "0",
    config,
    overrides: { allowWrite: true },
    prompts: undefined,
    lock: {
      toolsFromSnapshot: (name, text) => toolsFromSnapshot(name, text, config),
      compareTools: toolComparison(FEATURES),
    },
    features: FEATURES,
    faults: async () => [],
    shipped: shippedModules,
    stale: () => [],
    out: nothing,
    err: nothing,
    paint: (_, text) => text,
    again: async () => start,
  };
  const project = await openStart(start);
  const lines: string[] = [];
  const at = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const log = { debug: at, info: at, warn: at, error: at };
  const openState = async () => (await import("../../runtime/state/open.js")).openState({ url: "", root });
  const secret = (name: string) => (name === "PIN" ? "4711" : undefined);
  const gateway = createOpGateway(project, { openState, log, secret, features: await loadFeatures(start) });
  finished(() => gateway.close());
  const local = localPrincipal(project.settings);
  return {
    project,
    gateway,
    lines,
    exec: (op, args = {}, who = {}) => gateway.dispatch({ op, args }, { ...local, ...who }),
    run: async (command, who = {}) => (await gateway.run({ command }, { ...local, ...who })).text,
  };
}
