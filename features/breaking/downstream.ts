/** Makes findings about what a change breaks outside the tools: aliases, snippets, examples, and references to removed ops. */

import type { Config } from "../../generator/config/config.js";
import type { ComparedRegistry } from "../../generator/core/registry-file.js";
import { firstMisfit } from "../../generator/pass/examples.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Finding } from "../../runtime/contract/finding.js";
import type { JsonSchema, Tool } from "../../runtime/contract/registry.js";
import { SNIPPETS_FILE } from "../../runtime/contract/snippet.js";
import { BREAKING_RULES, type BreakingRule } from "./breaking-rules.js";
import { aboutTool, pairTools, type ToolPair } from "./compare.js";
import { type About, makeFinding } from "./finding.js";

type Compared = Pick<ComparedRegistry, "registry" | "listed">;

/** Configured names that users type: aliases and snippets that were removed or have another meaning. */
export function compareListed({ listed: before }: Compared, { listed: after }: Compared): readonly Finding[] {
  if (!before || !after) return [];
  const aliases = new Map(after.aliases.map((one) => [one.name, one.target]));
  const snippets = new Map(after.snippets.map((one) => [one.name, one]));
  const about = (op: string, file: string): About => ({ op, tool: "", file });
  return [
    ...before.aliases.flatMap(({ name, target }): readonly Finding[] => {
      const now = aliases.get(name);
      if (now === target) return [];
      const spot = { pointer: `/aliases/${name}`, at: name, before: target };
      return now === undefined
        ? [makeFinding(about(target, CONFIGURATION), { ...spot, rule: "alias-removed" })]
        : [makeFinding(about(target, CONFIGURATION), { ...spot, rule: "alias-retargeted", after: now })];
    }),
    ...before.snippets.flatMap(({ name, params }): readonly Finding[] => {
      const now = snippets.get(name);
      const at = { pointer: `/snippets/${name}`, at: name };
      if (!now)
        return [makeFinding(about(`$${name}`, SNIPPETS_FILE), { ...at, rule: "snippet-removed", before: name })];
      const gone = params.filter((one) => !now.params.includes(one));
      return gone.map((one) =>
        makeFinding(about(`$${name}`, SNIPPETS_FILE), { ...at, rule: "snippet-param-removed", before: one }),
      );
    }),
  ];
}

const CONFIGURATION = "definitions/toolwright.yaml";

/** Argument rules whose changes refuse no input that was accepted before. */
const HARMLESS = /^arg-(default|description|position)-/;

/** Ops whose input was narrowed: only their examples can become invalid. */
const narrowedOps = (findings: readonly Finding[]): ReadonlySet<string> =>
  new Set(
    findings
      .filter(({ rule }) => rule.startsWith("arg-") && !HARMLESS.test(rule) && !isHarmless(rule as BreakingRule))
      .map((one) => one.op),
  );

const isHarmless = (rule: BreakingRule): boolean => BREAKING_RULES[rule].level === "info";

/**
 * Examples of the baseline that were valid and no longer are. Only tools whose input was narrowed are checked, and the
 * validator is loaded only if there are any.
 *
 * @param findings the result of `compareTools` for the two lists
 */
export async function invalidatedExamples(
  before: readonly Tool[],
  after: readonly Tool[],
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  const narrowed = narrowedOps(findings);
  if (narrowed.size === 0) return [];
  const pairs = pairTools(before, after).kept.filter(
    (one) => one.before.examples.length > 0 && narrowed.has(one.after.op),
  );
  if (pairs.length === 0) return [];
  const { loadCompiler } = await import("../../generator/core/compile.js");
  const { issuesOf } = await loadCompiler();
  const misfit = (schema: JsonSchema, args: Tool["examples"][number]["args"]): string | undefined => {
    try {
      return firstMisfit(issuesOf(schema, args), args);
    } catch {
      return undefined; // If Ajv cannot compile the schema, the example cannot be judged.
    }
  };
  return pairs.flatMap(({ before: old, after: now }: ToolPair) =>
    old.examples.flatMap(({ args, title }, i): readonly Finding[] => {
      const reason = misfit(now.parameters_schema, args);
      if (reason === undefined || misfit(old.parameters_schema, args) !== undefined) return [];
      return [
        makeFinding(aboutTool(now), {
          rule: "example-invalidated",
          pointer: `/examples/${i}`,
          at: title === undefined ? String(i + 1) : JSON.stringify(title),
          before: JSON.stringify(args),
          more: `: ${reason.replace(/^\/ /, "")}`,
        }),
      ];
    }),
  );
}

/** A text of the head that names ops, with its place and its own name. */
interface Reference extends About {
  readonly name: string;
  readonly pointer: string;
  /** Whether the text names this op path or tool name. */
  readonly names: (path: string) => boolean;
}

/** References in the head's files to ops and tools that were removed. */
export function brokenReferences(
  before: Compared,
  after: Compared,
  config: Config,
  snippets: string | undefined,
): readonly Finding[] {
  const paths = ({ registry }: Compared) => registry.tools.flatMap((one) => [one.op, ...one.aliases]);
  const names = ({ registry }: Compared) =>
    registry.tools.flatMap((one) => [one.tool_name, `${one.group}/${one.tool_name}`]);
  const goneOf = (old: readonly string[], now: readonly string[]): readonly string[] => {
    const kept = new Set(now);
    return [...new Set(old)].filter((one) => !kept.has(one)).sort(byCodeUnit);
  };
  const [ops, tools] = [goneOf(paths(before), paths(after)), goneOf(names(before), names(after))];
  if (ops.length + tools.length === 0) return [];
  const use = new Map(after.registry.reserved.map((one) => [one.op, one.use]));
  const broken = (one: Reference, gone: string): Finding => {
    const instead = use.get(gone);
    const more = instead === undefined ? "" : `; use ${instead}`;
    return makeFinding(one, { rule: "reference-broken", pointer: one.pointer, at: one.name, before: gone, more });
  };
  return [
    ...pathReferences(after, config, snippets).flatMap((one) => ops.filter(one.names).map((gone) => broken(one, gone))),
    ...overrides(config).flatMap((one) => tools.filter(one.names).map((gone) => broken(one, gone))),
  ];
}

const equals = (text: string) => (path: string) => path === text;

function pathReferences(after: Compared, config: Config, snippets: string | undefined): readonly Reference[] {
  const at = (...path: readonly string[]): Pick<Reference, "pointer" | "file" | "line" | "column" | "tool"> => ({
    pointer: `/${path.join("/")}`,
    tool: "",
    ...config.place(...path),
  });
  return [
    ...(after.listed?.aliases ?? []).map(({ name, target }) => ({
      ...at("aliases", name),
      op: target,
      name: `alias ${name}`,
      names: equals(target),
    })),
    ...Object.keys(config.policies ?? {}).map((op) => ({
      ...at("policies", op),
      op,
      name: "a pinned policy",
      names: equals(op),
    })),
    ...after.registry.reserved.flatMap(({ op, use }) =>
      use === undefined ? [] : [{ ...at("reserved"), op, name: `the tombstone of ${op}`, names: equals(use) }],
    ),
    ...snippetReferences(after, snippets),
  ];
}

/** References in snippets: templates of code, in which an op is found by its path. */
export function snippetReferences(
  { listed }: Pick<Compared, "listed">,
  text: string | undefined,
): readonly Reference[] {
  const lines = (text ?? "").split("\n");
  const starts = (listed?.snippets ?? []).flatMap(({ name }) => {
    const line = lines.findIndex((one) => one.replace(/["']/g, "").startsWith(`${name}:`));
    return line < 0 ? [] : [{ name, line }];
  });
  return starts.map(({ name, line }) => {
    const end = Math.min(lines.length, ...starts.map((one) => one.line).filter((one) => one > line));
    const paths = new Set(lines.slice(line, end).flatMap((one) => one.match(/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g) ?? []));
    return {
      op: `$${name}`,
      tool: "",
      name: `snippet $${name}`,
      pointer: `/snippets/${name}`,
      file: SNIPPETS_FILE,
      line: line + 1,
      column: 1,
      names: (path) => paths.has(path),
    };
  });
}

const overrides = (config: Config): readonly Reference[] =>
  Object.keys(config.ops ?? {}).map((tool) => ({
    op: tool,
    tool,
    name: "an override",
    pointer: `/ops/${tool}`,
    ...config.place("ops", tool),
    names: equals(tool),
  }));
