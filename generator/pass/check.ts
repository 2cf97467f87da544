/** Checks the whole registry: collisions, entries for unknown names, missing or overlong descriptions. */

import { closest } from "../../runtime/contract/closest.js";
import { unmatchedPattern } from "../../runtime/contract/unmatched-patterns.js";
import { exposedFaults, exposedNames } from "../../runtime/contract/wire-names.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition, Extracted, NamedDefinition } from "../core/ir.js";
import { isToolPattern, toolPattern } from "../core/levels.js";
import { isOpPath } from "../core/names.js";
import { checkConfiguredAliases } from "./declared.js";

const MAX_DESCRIPTION_LENGTH = 1024;

/**
 * Runs all checks that need more than one definition.
 *
 * @param definitions all definitions, or undefined if some could not be read: then entries for unknown names are not reported
 */
export function checkDefinitions(
  tools: readonly Extracted[],
  definitions: readonly Definition[] | undefined,
  config: Config,
  report: Report,
): void {
  checkOps(tools, definitions, config, report);
  for (const tool of tools) {
    checkDescription(tool, report);
    checkArguments(tool, config, report);
  }
}

/**
 * The checks that need names only.
 *
 * @param definitions as for {@link checkDefinitions}
 */
export function checkOps(
  tools: readonly NamedDefinition[],
  definitions: readonly Definition[] | undefined,
  config: Config,
  report: Report,
): void {
  checkCollisions(tools, report);
  checkExposedNames(tools, report);
  checkAliases(tools, config, report);
  if (definitions) {
    checkOverrides(definitions, tools, config, report);
    checkLevels(definitions, tools, config, report);
  }
  if (tools.length === definitions?.length) checkReferences(tools, config, report);
}

/** A tool and its place, for messages. */
export const definitionSpot = (one: Definition): string => `${one.name} (${one.place.file}:${one.place.line})`;

function checkCollisions(tools: readonly NamedDefinition[], report: Report): void {
  const byOp = groupByOp(tools);
  for (const [op, same] of byOp) {
    const [first, second] = same;
    if (first && second)
      report.add("op-collision", second.place, { op, tools: same.map(definitionSpot), second: second.name });
  }
}

/** Ops of a pack are exposed as tools on the socket, so their names must be unique. */
function checkExposedNames(tools: readonly NamedDefinition[], report: Report): void {
  const byOp = new Map(tools.map((one) => [one.op, one]));
  const table = exposedNames(tools.map(({ op, pack }) => ({ op, group: pack })));
  for (const { op, reason } of exposedFaults(table)) {
    const one = byOp.get(op);
    if (one) report.add("exposed-name", one.place, { op, tool: definitionSpot(one), reason });
  }
}

function groupByOp(tools: readonly NamedDefinition[]): Map<string, NamedDefinition[]> {
  const groups = new Map<string, NamedDefinition[]>();
  for (const one of tools) groups.set(one.op, [...(groups.get(one.op) ?? []), one]);
  return groups;
}

function checkAliases(tools: readonly NamedDefinition[], config: Config, report: Report): void {
  const taken = new Map(tools.map((one) => [one.op, `the op of ${one.name}`]));
  for (const one of tools)
    for (const alias of one.aliases) {
      const other = taken.get(alias);
      const place = config.place("ops", one.config_key, "aliases", one.aliases.indexOf(alias));
      const reason = "is no dotted path of identifiers";
      if (!isOpPath(alias)) report.add("op-invalid", place, { op: alias, reason, reserved: undefined });
      else if (other) report.add("alias-collision", place, { alias, op: one.op, other });
      else taken.set(alias, `an alias of ${one.op}`);
    }
}

function checkOverrides(
  definitions: readonly Definition[],
  tools: readonly NamedDefinition[],
  config: Config,
  report: Report,
): void {
  const known = new Set(definitions.flatMap((one) => [one.name, `${one.pack}/${one.name}`]));
  for (const tool of Object.keys(config.ops ?? {}))
    if (!known.has(tool))
      report.add("unused-override", config.place("ops", tool), { tool, nearest: closest(tool, known) });
  // A pack that resembles no known one may be a pack of extension tools.
  const packs = new Set([...definitions, ...tools].map((one) => one.pack));
  for (const pack of Object.keys(config.packs ?? {})) {
    const nearest = packs.has(pack) ? undefined : closest(pack, packs);
    if (nearest !== undefined) report.add("pack-unmatched", config.place("packs", pack), { pack, nearest });
  }
}

/** A pattern of `diagnostics` must match a tool. */
function checkLevels(
  definitions: readonly Definition[],
  tools: readonly NamedDefinition[],
  config: Config,
  report: Report,
): void {
  const named = [...definitions, ...tools];
  for (const pattern of Object.keys(config.diagnostics ?? {}).filter(isToolPattern))
    if (!named.some(toolPattern(pattern))) {
      const nearest = closest(pattern, new Set(named.map(({ pack, name }) => `${pack}/${name}`)));
      report.add("level-unmatched", config.place("diagnostics", pattern), { pattern, nearest });
    }
}

/** Pins, configured aliases and op aliases must lead to an op. */
function checkReferences(tools: readonly NamedDefinition[], config: Config, report: Report): void {
  const ops = new Set(tools.map((one) => one.op));
  checkTombstones(tools, config, report);
  for (const op of Object.keys(config.policies ?? {}))
    if (!ops.has(op)) report.add("pin-unmatched", config.place("policies", op), { op, nearest: closest(op, ops) });
  checkConfiguredAliases(ops, config, report);
  checkPatterns(tools, config, report);
}

/** Patterns of ops that match none. Those that resemble no op may be for extension tools, which only a server knows. */
function checkPatterns(tools: readonly NamedDefinition[], config: Config, report: Report): void {
  const packs = [...new Set(tools.map(({ pack }) => pack))].map((name) => ({ name }));
  const names = { packs, tools: tools.map(({ op, name }) => ({ op, tool_name: name })) };
  const approvals = (config.approve ?? []).flatMap(({ ops = [] }, i) =>
    ops.map((pattern, j) => ({ pattern, path: `approve[${i}].ops[${j}]`, keys: ["approve", i, "ops", j] })),
  );
  const sanitized = Object.keys(config.sanitize?.ops ?? {}).map((pattern) => ({
    ...{ pattern, path: `sanitize.ops.${pattern}`, keys: ["sanitize", "ops", pattern] },
  }));
  for (const { pattern, path, keys } of [...approvals, ...sanitized]) {
    const nearest = unmatchedPattern("op", pattern, names)?.nearest;
    if (nearest !== undefined) report.add("pattern-unmatched", config.place(...keys), { path, pattern, nearest });
  }
}

/** A tombstone must lead to an op, and be for a removed tool or for exactly one existing tool. */
function checkTombstones(tools: readonly NamedDefinition[], config: Config, report: Report): void {
  const paths = new Set(tools.flatMap((one) => [one.op, ...one.aliases]));
  for (const [i, { op, tool, use }] of (config.reserved ?? []).entries()) {
    const heir = tools.find((one) => (one.op === op) !== (one.name === tool));
    const owned = tools.some((one) => one.op === op && one.name === tool);
    const reason =
      use !== undefined && !paths.has(use)
        ? `says to use ${use}, which is no op`
        : heir && !owned
          ? `names ${tool}, but ${heir.op} is ${heir.name}`
          : undefined;
    if (reason !== undefined) report.add("tombstone-stale", config.place("reserved", i), { op, reason });
  }
}

function checkDescription(tool: NamedDefinition, report: Report): void {
  const { length } = tool.description;
  if (tool.description.trim() === "") report.add("description-missing", tool.place, { tool: tool.name });
  else if (length > MAX_DESCRIPTION_LENGTH)
    report.add("description-too-long", tool.place, { tool: tool.name, length, pack: tool.pack });
}

/** Arguments that configuration names must exist. */
function checkArguments(tool: Extracted, config: Config, report: Report): void {
  const known = tool.parameter_list.map((one) => one.original);
  const constrained = tool.constraints.flatMap((one) =>
    one.kind === "at_least_one_change"
      ? one.of
      : one.kind === "one_of"
        ? one.branches.flat()
        : [one.argument, ...one.needs],
  );
  const named = [
    ["arguments", Object.values(tool.renames)],
    ["project_from", tool.project_from === undefined ? [] : [tool.project_from]],
    ["constraints", constrained],
  ] as const;
  for (const [key, arguments_] of named)
    for (const argument of new Set(arguments_))
      if (!known.includes(argument)) {
        const place = config.place("ops", tool.config_key, key);
        report.add("argument-unmatched", place, { tool: tool.name, argument, nearest: closest(argument, known) });
      }
}
