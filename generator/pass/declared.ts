/**
 * Checks declarations that name ops: configured aliases, `snippets.yaml` and `prompts.yaml`. `generate` checks them against its
 * build; a server, before it starts, against the registry that it serves.
 */

import { closest } from "../../runtime/contract/closest.js";
import { isRecord, type Values } from "../../runtime/contract/json.js";
import type { Kind, Parameter } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import { PROMPTS_SCHEMA } from "../config/schema.js";
import { Report } from "../core/diagnostic.js";
import { messageValue } from "../core/message-value.js";
import { checkShape } from "../core/shape.js";
import { placeOfPath, type ReadYaml, readYaml } from "../core/yaml-file.js";

/** The file with texts for models: `{ instructions, packs: { <pack>: text }, tools: { <op>: { examples } } }`. */
export const PROMPTS_FILE = "definitions/prompts.yaml";

/** An op that a file may name. */
export interface DeclaredOp {
  readonly op: string;
  /** Its pack. */
  readonly group: string;
  readonly kind: Kind;
  readonly parameters: readonly Pick<Parameter, "name" | "original" | "aliases" | "required">[];
}

/** Checks what the configuration says of ops. @param known - all ops, of a build or of the registry that is served */
export type CheckOps = (known: readonly DeclaredOp[], config: Config, report: Report) => void;

/** A feature whose keys name ops. */
export interface OpCheckingFeature {
  /** Loads what checks them. A server does it before it starts, too. */
  readonly checkOps?: () => Promise<CheckOps>;
}

/** Checks what the keys of features say of ops. */
export async function checkOpsOf(
  features: readonly OpCheckingFeature[],
  ...given: Parameters<CheckOps>
): Promise<void> {
  for (const { checkOps } of features) (await checkOps?.())?.(...given);
}

/** Every configured alias must name an op or another alias, without a cycle. */
export function checkConfiguredAliases(
  ops: ReadonlySet<string>,
  { aliases = {}, place }: Pick<Config, "aliases" | "place">,
  report: Report,
): void {
  const targets = new Map(Object.entries(aliases));
  const circling = new Set<string>();
  for (const [alias, target] of targets) {
    const cycle = cycleFrom(alias, targets);
    if (cycle && !cycle.some((one) => circling.has(one)))
      report.add("alias-cycle", place("aliases", alias), { cycle: [...cycle, alias] });
    for (const one of cycle ?? []) circling.add(one);
    if (targets.has(target) || ops.has(target)) continue;
    const nearest = closest(target, [...ops, ...targets.keys()]);
    report.add("alias-unmatched", place("aliases", alias), { alias, target, nearest });
  }
}

/** The cycle of aliases that starts at an alias; undefined without a cycle. */
function cycleFrom(alias: string, targets: ReadonlyMap<string, string>): readonly string[] | undefined {
  const seen = [alias];
  for (let at = targets.get(alias); at !== undefined && !seen.slice(1).includes(at); at = targets.get(at)) {
    if (at === alias) return seen;
    seen.push(at);
  }
  return undefined;
}

/** Checks `prompts.yaml`, if it exists. Names of packs and ops are checked only if all of them are known. */
export function checkPrompts(
  read: (file: string) => string | undefined,
  known: readonly DeclaredOp[] | undefined,
  report: Report,
  parse: ReadYaml = readYaml,
): void {
  const text = read(PROMPTS_FILE);
  const file = text === undefined ? undefined : parse(PROMPTS_FILE, text, report);
  if (!file) return;
  const place = placeOfPath(file.places, { file: PROMPTS_FILE, line: 1, column: 1 });
  checkShape(file.values, PROMPTS_SCHEMA, [], { place, report });
  if (!known) return;
  const packs = new Set(known.map(({ group }) => group));
  const ops = new Map(known.map((one) => [one.op, one]));
  for (const name of namesIn(file.values, "packs"))
    if (!packs.has(name))
      report.add("prompt-unmatched", place("packs", name), { what: "pack", name, nearest: closest(name, packs) });
  for (const name of namesIn(file.values, "tools")) {
    const op = ops.get(name);
    if (!op)
      report.add("prompt-unmatched", place("tools", name), { what: "op", name, nearest: closest(name, ops.keys()) });
    else checkExamples(op, file.values, { place, report });
  }
}

/** Instructions in `prompts.yaml` by pack. {@link checkPrompts} reports the faults of the file. */
export function packInstructions(read: (file: string) => string | undefined): ReadonlyMap<string, string> {
  const text = read(PROMPTS_FILE);
  const packs = text === undefined ? undefined : readYaml(PROMPTS_FILE, text, new Report())?.values["packs"];
  const said = Object.entries(isRecord(packs) ? packs : {});
  return new Map(said.filter((one): one is [string, string] => typeof one[1] === "string"));
}

const memberOf = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function namesIn(values: Values, key: string): readonly string[] {
  const named = memberOf(values, key);
  return isRecord(named) ? Object.keys(named) : [];
}

/** An example that is not text holds arguments: all must exist, and all required ones must be present. */
function checkExamples(
  { op, parameters }: DeclaredOp,
  values: Values,
  { place, report }: { readonly place: Config["place"]; readonly report: Report },
): void {
  const examples = memberOf(memberOf(memberOf(values, "tools"), op), "examples");
  const names = (one: DeclaredOp["parameters"][number]): readonly string[] => [one.original, one.name, ...one.aliases];
  const known = new Set(parameters.flatMap(names));
  for (const [i, example] of (Array.isArray(examples) ? examples : []).entries()) {
    if (!isRecord(example)) continue;
    const at = place("tools", op, "examples", i);
    for (const argument of Object.keys(example).filter((one) => !known.has(one)))
      report.add("argument-unmatched", at, { tool: op, argument, nearest: closest(argument, known) });
    const missing = parameters.filter(
      (one) => one.required && !names(one).some((name) => Object.hasOwn(example, name)),
    );
    if (missing.length === 0) continue;
    report.add("config-invalid", at, {
      path: `tools.${op}.examples[${i}]`,
      expected: `a map with ${missing.map(({ original }) => original).join(" and ")}`,
      received: messageValue(example),
    });
  }
}
