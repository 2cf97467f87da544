/** Opens a generated project: `registry.json` at once, the rest when it is first needed. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  digestText,
  fail,
  type HelpDocument,
  type HelpIndex,
  type JsonObject,
  type Registry,
  type Validator,
} from "./codegen.js";
import { functionIn, handlersIn, moduleImporter, SEAM } from "./handlers.js";
import { httpHandlers } from "./http-handlers.js";
import { memo } from "./memo.js";
import { snippetsIn } from "./run/snippet-file.js";
import type { Project, RuntimeConfig, Settings } from "./settings.js";
import type { ShippedModules } from "./shipped.js";
import type { ProxyContext } from "./upstream/context.js";
import type { Upstreams } from "./upstream/upstreams.js";
import { UsageError } from "./usage-error.js";

/** The data of a generated project. */
export interface ProjectData {
  readonly registry: Registry;
  readonly helpOf: Project["helpOf"];
  /** Text of `toolwright.lock`, if there is one. */
  readonly lock: string | undefined;
  /** Text of `definitions/snippets.yaml`, if there is one. */
  readonly snippets: string | undefined;
}

/**
 * Reads what a project is made of at once; the rest of `generated/`, which is read when it is needed, must be of the same build.
 *
 * @throws UsageError when they are not there, not readable, or do not belong together
 */
export async function readProject(root: string): Promise<ProjectData> {
  const folder = join(root, "generated");
  const text = (path: string) => readFile(path, "utf8").catch(() => undefined);
  const [registry, index, lock, snippets] = await Promise.all([
    readBytes(root, REGISTRY).then((bytes) => jsonIn<Registry>(REGISTRY, bytes)),
    readBytes(root, HELP),
    text(join(folder, "toolwright.lock")),
    text(join(root, "definitions", "snippets.yaml")),
  ]);
  if (registry.ir_version !== 1)
    throw new UsageError(
      `${REGISTRY} has ir_version ${registry.ir_version}, this toolwright reads 1: run "toolwright generate"`,
    );
  return { registry, helpOf: helpIn(index, lock, registry), lock, snippets };
}

const REGISTRY = "generated/registry.json";
const HELP = "generated/help/index.json";

const readBytes = (root: string, path: string): Promise<Buffer> =>
  readFile(join(root, path)).catch(() => {
    throw new UsageError(
      `there is no ${path} under ${root}: run "toolwright generate" first, or name the folder that holds definitions/ with --root`,
    );
  });

/** Decoded whole: with an encoding, Node decodes a large file piece by piece, which takes several times as long. */
function jsonIn<T>(path: string, bytes: Buffer): T {
  try {
    return JSON.parse(bytes.toString("utf8")) as T;
  } catch {
    throw new UsageError(`${path} is no JSON: run "toolwright generate"`);
  }
}

/** Bytes at the start of the help index in which its version stands. */
const HEAD = 200;

/**
 * What the help index says of an op. It is parsed when somebody first asks, since that is a tenth of the start of a server with
 * thousands of tools; at once where the lock does not say that it is as `generate` wrote it.
 *
 * @throws UsageError where it is no JSON, or of another build than the registry
 */
function helpIn(bytes: Buffer, lock: string | undefined, { registry_version: version }: Registry): Project["helpOf"] {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const isWhole = lock?.includes(`"help/index.json": "${digest}"`) && bytes.subarray(0, HEAD).includes(version);
  let ops: HelpIndex["ops"] | undefined;
  if (!isWhole) {
    const index = jsonIn<HelpIndex>(HELP, bytes);
    if (index.registry_version !== version)
      throw new UsageError(`${REGISTRY} and ${HELP} are of two builds: run "toolwright generate"`);
    ({ ops } = index);
  }
  return (op): HelpDocument | undefined => {
    ops ??= jsonIn<HelpIndex>(HELP, bytes).ops;
    return Object.hasOwn(ops, op) ? ops[op] : undefined;
  };
}

/** What a project is opened with. */
export interface ProjectParts extends ProjectData {
  readonly root: string;
  readonly version: string;
  readonly config: RuntimeConfig;
  readonly settings: Settings;
  readonly shipped: ShippedModules;
  readonly upstreams?: Upstreams | undefined;
}

/** A project whose code is loaded on demand. */
export function openProject(parts: ProjectParts): Project {
  const { root, version, registry, helpOf, config, settings, shipped, upstreams } = parts;
  const tools = new Map(registry.tools.map((one) => [one.op, one]));
  const validators = memo((pack) => importValidators(parts, pack));
  const modules = memo(moduleImporter(root));
  const requests = httpHandlers(root, config, settings);
  const handlers = async (file: string) => {
    const path = resolve(root, "definitions", file);
    return handlersIn(await modules(path), path);
  };
  return {
    root,
    version,
    registry,
    helpOf,
    settings,
    validators,
    snippets: () => snippetsIn(parts.snippets),
    ...(upstreams ? { upstreams } : {}),
    handler: async (op) => {
      const tool = tools.get(op);
      if (tool?.source.call) {
        const { call, file } = tool.source;
        const module = tool.source.shipped ? await shipped(tool.group) : await modules(resolve(root, file));
        if (!module) throw new Error(`this version does not ship ${file}: run "toolwright generate"`);
        return functionIn(module, call, file);
      }
      if (tool?.source.kind === "http") return requests(tool);
      if (tool?.source.kind === "proxy")
        return (
          upstreams && {
            run: (args: JsonObject, ctx: ProxyContext) => upstreams.call(tool, args, ctx),
            exactNumbers: true as const,
          }
        );
      const files = handlerFiles(config, tool?.group);
      const found = await Promise.all(files.map(async (file) => (await handlers(file)).get(op)));
      // Two files of one pack share its ops: what one leaves out with unbound() the other may have.
      return (
        found.find((bound) => bound !== undefined && !("unbound" in bound)) ??
        found.find((bound) => bound !== undefined)
      );
    },
  };
}

/** Handler files of the sources that feed a pack; a source of several files feeds any. */
function handlerFiles(config: RuntimeConfig, pack: string | undefined): readonly string[] {
  const feeding = config.sources.filter((one) => one.pack === undefined || one.pack === pack);
  return [...new Set(feeding.flatMap((one) => one.handlers ?? []))];
}

/** The line of a generated module that imports the seam. */
const SEAM_IMPORT = /^(import \{[^}]*\} from )"toolwright\/codegen";$/m;

/**
 * Imports the validators of a pack, with the seam of the very package that serves them.
 *
 * By text, since the project's own `package.json` may call `.js` files CommonJS, and the project may have no `toolwright` beside it.
 */
async function importValidators({ root, lock }: ProjectParts, pack: string): Promise<ReadonlyMap<string, Validator>> {
  const file = `validators/${pack}.js`;
  const text = await readFile(join(root, "generated", file), "utf8");
  requireSameBuild(lock, file, text);
  const code = text.replace(SEAM_IMPORT, (_, start: string) => `${start}"${import.meta.resolve(SEAM)}";`);
  const module: unknown = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  return new Map(Object.entries((module as { readonly validators: Readonly<Record<string, Validator>> }).validators));
}

/** @throws ToolFailure UNAVAILABLE where the file is not the one that the registry in memory was built with */
function requireSameBuild(lock: string | undefined, file: string, text: string): void {
  // The lock is ours, one line a file: there is no need to parse it.
  if (!lock?.includes(`"${file}": `) || lock.includes(`"${file}": "${digestText(text)}"`)) return;
  const remedy = 'run "toolwright generate", then ot.reload() or start the server again';
  fail("UNAVAILABLE", `generated/${file} is of another build than the registry that is served: ${remedy}.`);
}
