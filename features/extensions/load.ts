/** Loads extension tools: finds the files of `.onetool/tools/`, builds each one, and accepts the valid tools. */

import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildFailure } from "esbuild";
import type { Project } from "../../runtime/catalog/project.js";
import { STATE_DIRECTORY } from "../../runtime/config/state-directory.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { ExtensionBuild, ExtensionFault, ExtensionFile } from "./extension-file.js";
import { acceptExtensionTools, type BuiltFile, type ExtensionCode, type Extensions, faultLine } from "./extensions.js";
import { handlersOfTools } from "./handlers.js";

/** Builds the tools of one file in the same way as the tools of a project. */
export type BuildExtension = (file: ExtensionFile) => Promise<ExtensionBuild>;

/** The result of loading one file. */
interface Looked {
  readonly built?: BuiltFile;
  readonly faults: readonly ExtensionFault[];
  readonly notes: readonly string[];
}

const ENDING = /^[^_.].*?(?<!\.d)\.(py|ts)$/;

/**
 * Loads the extension tools of a project; undefined if it has no files of them. Without files, nothing heavy is imported.
 *
 * A file that fails to load affects its own tools only.
 */
export async function loadExtensions(project: Project, build: BuildExtension): Promise<Extensions | undefined> {
  const folder = `${STATE_DIRECTORY}/tools`;
  const names = await readdir(join(project.root, folder)).catch(() => []);
  const files = names.filter((name) => ENDING.test(name)).sort(byCodeUnit);
  if (files.length === 0) return undefined;
  const looked: Looked[] = [];
  // One after the other: esbuild's process is stopped after each file.
  for (const name of files) looked.push(await lookAt(`${folder}/${name}`, project, build));
  const built = looked.flatMap((one) => one.built ?? []);
  const { tools, packs, faults: refused } = acceptExtensionTools(project, built);
  const faults = [...looked.flatMap((one) => one.faults), ...refused];
  return {
    tools,
    packs,
    files: files.map((name) => `${folder}/${name}`),
    faults,
    warnings: faults.map((one) => onLine(faultLine(one))),
    notes: looked.flatMap((one) => one.notes),
    handlers: handlersOfTools(project, tools),
  };
}

async function lookAt(file: string, project: Project, build: BuildExtension): Promise<Looked> {
  try {
    return await (file.endsWith(".py") ? python(file, project, build) : typescript(file, project, build));
  } catch (error) {
    return { faults: [{ file, ...reasonOf(error), remedy: "correct the file" }], notes: [] };
  }
}

/** esbuild lists all errors with positions; the first one is reported. */
function reasonOf(error: unknown): { readonly message: string; readonly line?: number } {
  const { message = String(error), errors = [] } = error as Partial<Error & Pick<BuildFailure, "errors">>;
  const [first] = errors;
  const line = first?.location?.line;
  return { message: `cannot be loaded: ${first?.text ?? message}`, ...(line === undefined ? {} : { line }) };
}

async function python(file: string, { root, settings }: Project, build: BuildExtension): Promise<Looked> {
  const source = await readFile(join(root, file), "utf8");
  const { codeBytes } = settings.run;
  if (Buffer.byteLength(source) > codeBytes)
    throw new Error(`it is larger than ${codeBytes} bytes (limits.code_bytes)`);
  const { readPythonFile } = await import("./python-file.js");
  const { summary, functions, undocumented, faults, asynchronous, unknownHints } = readPythonFile(file, source);
  const notes = unknownHints.map((hint) => `${file}: ${hint} means nothing as a type here, so anything is accepted`);
  if (functions.length === 0 && faults.length > 0) return { faults, notes };
  const made = await build({ file, kind: "python", summary, functions });
  const all = { ...made, undocumented, faults: [...faults, ...made.faults] };
  return looked(file, all, { kind: "python", source, asynchronous }, notes);
}

const TRUST = "set `trust: local` in definitions/toolwright.yaml if you trust the code in .onetool/tools/";

async function typescript(file: string, { root, settings }: Project, build: BuildExtension): Promise<Looked> {
  if (settings.trust !== "local")
    return {
      faults: [{ file, message: "is not loaded: TypeScript tools run only with trust: local", remedy: TRUST }],
      notes: [],
    };
  const read = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined;
  const made = await build({ file, kind: "typescript", read });
  if (!made.registry) return looked(file, made, { kind: "typescript", url: "" }, []);
  const { bundleUrl } = await import("../../runtime/call/handlers.js");
  return looked(file, made, { kind: "typescript", url: await bundleUrl(join(root, file), root) }, []);
}

function looked(file: string, build: ExtensionBuild, code: ExtensionCode, notes: readonly string[]): Looked {
  const { faults, undocumented } = build;
  const none = build.registry?.tools.length === 0 && undocumented.length === 0 && faults.length === 0;
  return {
    built: { file, build, code },
    faults,
    notes: [
      ...notes,
      ...undocumented.map((name) => `${file}: ${name} is no tool, since it has no docstring`),
      ...(none ? [`${file}: holds no public function`] : []),
    ],
  };
}
