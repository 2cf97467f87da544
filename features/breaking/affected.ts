/** Adds to findings what they affect: aliases, snippets, examples, pinned policies, overrides, and recorded calls. */

import type { Config } from "../../generator/config/config.js";
import type { ComparedRegistry } from "../../generator/core/registry-file.js";
import type { Finding } from "../../runtime/contract/finding.js";
import { unescapePointer } from "../../runtime/contract/json-pointer.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { pairTools } from "./compare.js";
import { snippetReferences } from "./downstream.js";

/** Recorded calls by op path. */
export type CallsByOp = ReadonlyMap<string, { readonly calls: number; readonly callers: number }>;

/** Days of recorded calls that are counted. */
export const USAGE_DAYS = 30;

/** What refers to ops. */
export interface Users {
  readonly before: ComparedRegistry;
  readonly after: ComparedRegistry;
  readonly config: Config;
  /** Text of the snippets. */
  readonly snippets: string | undefined;
  readonly usage?: CallsByOp | undefined;
}

/** The findings; each error and warning with what it affects. */
export function withHurt(findings: readonly Finding[], users: Users): readonly Finding[] {
  if (findings.every((one) => one.level === "info")) return findings;
  const { kept, removed } = pairTools(users.before.registry.tools, users.after.registry.tools);
  const tools = new Map<string, Tool>([
    ...removed.map((one) => [one.op, one] as const),
    ...kept.map((pair) => [pair.after.op, pair.before] as const),
  ]);
  const references = snippetReferences(users.after, users.snippets);
  return findings.map((one) => {
    const tool = tools.get(one.op);
    if (one.level === "info" || !tool) return one;
    const hurt = hurtBy(one, tool, users, references);
    return hurt.length === 0 ? one : { ...one, hurt };
  });
}

type References = ReturnType<typeof snippetReferences>;

function hurtBy(
  finding: Finding,
  tool: Tool,
  { before, config, usage }: Users,
  references: References,
): readonly string[] {
  const paths = new Set([tool.op, ...tool.aliases, finding.op]);
  const has = (path: string): boolean => paths.has(path);
  return [
    ...(before.listed?.aliases ?? []).filter((one) => has(one.target)).map((one) => `alias ${one.name}`),
    ...references.filter((one) => [...paths].some(one.names)).map((one) => one.name),
    ...examplesOf(tool, finding),
    ...Object.keys(config.policies ?? {})
      .filter(has)
      .map((one) => `the pinned policy of ${one}`),
    ...Object.keys(config.ops ?? {})
      .filter((one) => one === tool.tool_name)
      .map((one) => `the override of ${one}`),
    ...callsOf(usage, paths),
  ];
}

/** Rules whose findings hurt those who do not give the argument. */
const DEMANDS: ReadonlySet<string> = new Set(["arg-required-added", "arg-became-required"]);

/** Examples that give the argument that changed; all of them if the whole tool changed. */
function examplesOf({ examples }: Tool, { rule, pointer }: Finding): readonly string[] {
  if (!rule.startsWith("arg-") && !rule.startsWith("tool-") && !rule.startsWith("op-")) return [];
  const name = /^\/properties\/([^/]*)/.exec(pointer)?.[1];
  const gives = (args: object): boolean => name !== undefined && Object.hasOwn(args, unescapePointer(name));
  return examples.flatMap(({ args, title }, i) => {
    const isHurt = name === undefined || gives(args) !== DEMANDS.has(rule);
    return isHurt ? [`example ${title === undefined ? i + 1 : JSON.stringify(title)}`] : [];
  });
}

function callsOf(usage: CallsByOp | undefined, paths: ReadonlySet<string>): readonly string[] {
  const used = [...paths].flatMap((path) => usage?.get(path) ?? []);
  const calls = used.reduce((sum, one) => sum + one.calls, 0);
  // Callers of an old path and of a new one may be the same.
  const callers = Math.max(0, ...used.map((one) => one.callers));
  if (calls === 0) return [];
  return [`called ${counted(calls, "time")} in ${USAGE_DAYS} days by ${counted(callers, "key")}`];
}
