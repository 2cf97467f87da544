/** Reads the two registries that `breaking` compares: from a git commit or from a file. All I/O of the comparison is here. */

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { git } from "../../generator/core/git.js";
import type { HelpIndex } from "../../runtime/contract/help.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { Registry } from "../../runtime/contract/registry.js";
import {
  FILE_VERSIONS,
  type FileTool,
  type SharedDefinitions,
  wholeTool,
} from "../../runtime/contract/shared-definitions.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** A snippet with the names of its parameters. */
interface NamedSnippet {
  readonly name: string;
  readonly params: readonly string[];
}

/** A registry, with the aliases and snippets of the help index beside it. */
export interface ComparedRegistry {
  /** Where it was read from, for messages. */
  readonly from: string;
  readonly registry: Registry;
  /** Configured aliases and snippets; absent without a help index beside the registry. */
  readonly listed?: Pick<HelpIndex, "aliases"> & { readonly snippets: readonly NamedSnippet[] };
  /** Day of its commit, `YYYY-MM-DD`. */
  readonly day?: string;
}

const REGISTRY = "registry.json";
const INDEX = "help/index.json";
const GIT = "git:";
/** Reads `generated/` of a root. @throws UsageError if it is missing or not a registry */
export function readHead(root: string): ComparedRegistry {
  const folder = join(root, "generated");
  const text = readText(join(folder, REGISTRY));
  if (text === undefined)
    throw new UsageError(`there is no generated/${REGISTRY} under ${root}: run "toolwright generate"`);
  return registryFile(`generated/${REGISTRY}`, text, readText(join(folder, INDEX)));
}

/**
 * Reads the baseline that `--against` names.
 *
 * @param mergeBase whether the merge base of HEAD and the given commit is read; undefined: in CI, where the baseline is a commit
 * @throws UsageError with the reason
 */
export async function readBaseline(against: string, root: string, mergeBase?: boolean): Promise<ComparedRegistry> {
  if (against.startsWith(GIT)) return readCommit(against, root, mergeBase ?? isInCi());
  if (mergeBase) throw new UsageError(`--merge-base: --against ${against} is no commit; name git:REF`);
  return readFrom(against);
}

/** Whether this is a run in CI: every CI system sets the variable. */
const isInCi = (): boolean => !["", "0", "false"].includes(process.env["CI"] ?? "");

/** Day of the commit that is checked out, or undefined without a commit. */
export async function headDay(root: string): Promise<string | undefined> {
  const day = await git(root, ["log", "-1", "--no-show-signature", "--format=%cs"]);
  return day?.trim() || undefined;
}

function readFrom(path: string): ComparedRegistry {
  const candidates = isFolder(path) ? [join(path, "generated"), path] : [];
  const folder = candidates.find((one) => readText(join(one, REGISTRY)) !== undefined);
  if (folder) {
    const text = readText(join(folder, REGISTRY)) ?? "";
    return registryFile(path, text, readText(join(folder, INDEX)));
  }
  if (isFolder(path))
    throw new UsageError(`--against ${path}: neither it nor its folder generated/ holds a ${REGISTRY}`);
  const text = readText(path);
  if (text === undefined)
    throw new UsageError(`--against ${path}: there is no such file; name a ${REGISTRY}, its folder, or git:REF`);
  return registryFile(path, text, readText(resolve(path, "..", INDEX)));
}

async function readCommit(against: string, root: string, mergeBase: boolean): Promise<ComparedRegistry> {
  const ref = against.slice(GIT.length);
  if (ref === "" || ref.startsWith("-") || /\s/.test(ref))
    throw new UsageError(`--against ${against}: ${JSON.stringify(ref)} is no git ref; for example git:main`);
  const named = (await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]))?.trim();
  if (!named) return refuseRef(against, ref, root);
  const commit = mergeBase ? await mergeBaseOf(against, named, root) : named;
  const from = commit === named ? against : `${against} (merge base ${commit.slice(0, SHOWN_DIGITS)})`;
  const show = (file: string) => git(root, ["cat-file", "blob", `${commit}:./generated/${file}`]);
  const [text, index, day] = await Promise.all([
    show(REGISTRY),
    show(INDEX),
    git(root, ["log", "-1", "--no-show-signature", "--format=%cs", commit]),
  ]);
  if (text === undefined)
    throw new UsageError(
      `--against ${against}: generated/${REGISTRY} was not there at ${commit === named ? ref : `the merge base ${commit}`}; name a later commit, in which it is committed`,
    );
  return { ...registryFile(from, text, index), ...(day ? { day: day.trim() } : {}) };
}

/** Digits of a commit that are shown. */
const SHOWN_DIGITS = 12;
const WHOLE_HISTORY =
  "this is a shallow clone: fetch the whole history (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0; elsewhere: git fetch --unshallow)";

const isShallow = async (root: string): Promise<boolean> =>
  (await git(root, ["rev-parse", "--is-shallow-repository"]))?.trim() === "true";

/** The merge base of HEAD and another commit. @throws UsageError if this clone has none */
async function mergeBaseOf(against: string, commit: string, root: string): Promise<string> {
  const base = (await git(root, ["merge-base", "HEAD", commit]))?.trim();
  if (base) return base;
  const why = (await isShallow(root)) ? WHOLE_HISTORY : "compare with that commit itself: --no-merge-base";
  throw new UsageError(`--against ${against}: HEAD has no commit in common with it; ${why}`);
}

async function refuseRef(against: string, ref: string, root: string): Promise<never> {
  const said = `--against ${against}:`;
  if ((await git(root, ["--version"])) === undefined)
    throw new UsageError(`${said} git is not installed: install it, or name a ${REGISTRY}`);
  const inside = await git(root, ["rev-parse", "--is-inside-work-tree"]);
  if (inside?.trim() !== "true")
    throw new UsageError(`${said} ${root} is in no git repository; name a ${REGISTRY} instead`);
  const branch = ref.replace(/^origin\//, "");
  const hint = (await isShallow(root)) ? WHOLE_HISTORY : `fetch it first: git fetch origin ${branch}`;
  throw new UsageError(`${said} this repository has no commit ${ref}; ${hint}`);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function registryFile(from: string, text: string, index: string | undefined): ComparedRegistry {
  const registry = parseRegistry(from, text);
  const listed = index === undefined ? undefined : parseListed(from, index);
  return { from, registry, ...(listed ? { listed } : {}) };
}

type Members = Readonly<Record<string, unknown>>;

function parseJson(from: string, what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`${from}: ${what} is no JSON (${reason.slice(0, 120)}): generate it again`);
  }
}

/** Members of a tool that the comparison reads, each with a check of its type. */
const TOOL: Readonly<Record<string, (value: unknown) => boolean>> = {
  op: (value) => typeof value === "string",
  tool_name: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  group: (value) => typeof value === "string",
  kind: (value) => value === "read" || value === "write",
  access: (value) => typeof value === "string",
  parameters_schema: isRecord,
  annotations: isRecord,
  digest: isRecord,
  source: isRecord,
  aliases: isTexts,
  parameters: (value) => Array.isArray(value) && value.every((one) => isRecord(one) && isTexts(one["aliases"])),
  examples: (value) => Array.isArray(value) && value.every(isRecord),
  constraints: (value) => Array.isArray(value) && value.every(isRecord),
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** A registry of this version. @throws UsageError with the first fault */
function parseRegistry(from: string, text: string): Registry {
  const value = parseJson(from, REGISTRY, text);
  if (!isRecord(value) || !("ir_version" in value))
    throw new UsageError(`${from} is no registry: name the ${REGISTRY} that "toolwright generate" writes`);
  if (!FILE_VERSIONS.includes(value["ir_version"]))
    throw new UsageError(
      `${from} has ir_version ${JSON.stringify(value["ir_version"])}, this toolwright reads 1: use the version that wrote it, or generate it again`,
    );
  const { tools: listed, reserved = [], definitions } = value;
  if (!Array.isArray(listed) || !Array.isArray(reserved)) throw new UsageError(`${from} has no list of tools`);
  const shared = areDefinitions(definitions) ? definitions : undefined;
  const tools = listed.map((tool) => (isRecord(tool) ? wholeTool(tool as unknown as FileTool, shared) : tool));
  for (const [i, tool] of tools.entries()) {
    const wrong = Object.keys(TOOL).find((key) => !isRecord(tool) || TOOL[key]?.(tool[key]) !== true);
    if (wrong !== undefined)
      throw new UsageError(`${from}: ${wrong} of tools[${i}] is missing or wrong: generate it again`);
  }
  const { definitions: _, ...registry } = value;
  return { ...registry, ir_version: 1, tools, reserved } as unknown as Registry;
}

const areDefinitions = (value: unknown): value is SharedDefinitions =>
  isRecord(value) && Object.values(value).every((pack) => isRecord(pack) && Object.values(pack).every(isRecord));

function parseListed(from: string, text: string): ComparedRegistry["listed"] {
  const value = parseJson(from, INDEX, text);
  const named = (list: unknown): readonly Members[] =>
    (Array.isArray(list) ? list : []).filter((one) => isRecord(one) && typeof one["name"] === "string");
  if (!isRecord(value)) return undefined;
  return {
    aliases: named(value["aliases"]).filter((one) => typeof one["target"] === "string"),
    snippets: named(value["snippets"]).map(({ name, params }) => ({ name, params: paramNames(params) })),
  } as unknown as ComparedRegistry["listed"];
}

/** Names of parameters. Older indexes list only the names. */
const paramNames = (params: unknown): readonly string[] =>
  (Array.isArray(params) ? params : [])
    .map((one) => (isRecord(one) ? one["name"] : one))
    .filter((one): one is string => typeof one === "string");
