/** Mistakes in the envelope of a call: where arguments, op and flags stand, and in which notation. */

import type { JsonObject, JsonValue } from "toolwright/codegen";
import type { Tool } from "../../runtime/contract/registry.js";
import { type Call, type Mutator, propertiesOf } from "./model.js";

type Change = (call: Call, tool: Tool, random: () => number) => JsonValue | undefined;

const mutator = (name: string, mutate: Change): Mutator => ({ name, mutate });
const lossy = (name: string, mutate: Change): Mutator => ({ name, isLossy: true, mutate });

const hasArguments = ({ args }: Call): boolean => Object.keys(args).length > 0;
const declares = (tool: Tool, ...names: readonly string[]): boolean =>
  propertiesOf(tool.parameters_schema).some(([name]) => names.includes(name));

/** The call with its arguments written in another way. */
const written =
  (write: (args: JsonObject) => JsonValue): Change =>
  (call) =>
    hasArguments(call) ? { ...(call as unknown as JsonObject), args: write(call.args) } : undefined;

/** The call with its arguments under another name. */
const under =
  (name: string): Change =>
  ({ args, ...rest }) =>
    hasArguments({ args, ...rest }) ? { ...rest, [name]: args } : undefined;

/** The call with its op under another name. */
const named =
  (name: string): Change =>
  ({ op, ...rest }, tool) =>
    declares(tool, name) ? undefined : ({ [name]: op, ...rest } as JsonObject);

/** JSON as Python prints it. */
export function python(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${python(name)}: ${python(one as JsonValue)}`)
    .join(", ")}}`;
}

const NOTATION: readonly Mutator[] = [
  mutator(
    "args as JSON text",
    written((args) => JSON.stringify(args)),
  ),
  mutator("args as Python text", written(python)),
  mutator(
    "args as fenced JSON",
    written((args) => `\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\``),
  ),
  mutator(
    "args with a trailing comma",
    written((args) => JSON.stringify(args).replace(/\}$/, ",}")),
  ),
  mutator(
    "args encoded twice",
    written((args) => JSON.stringify(JSON.stringify(args))),
  ),
  mutator(
    "args in a list",
    written((args) => [args]),
  ),
  mutator(
    "args inside args",
    written((args) => ({ args })),
  ),
  lossy("args cut off", (call) => {
    const text = JSON.stringify(call.args);
    return text.length > 12 ? { ...(call as unknown as JsonObject), args: text.slice(0, text.length - 4) } : undefined;
  }),
];

const PLACES: readonly Mutator[] = [
  mutator("arguments", under("arguments")),
  mutator("input", under("input")),
  mutator("params", under("params")),
  mutator("parameters", under("parameters")),
  mutator("kwargs", under("kwargs")),
  mutator("arguments as text", ({ args, ...rest }) =>
    hasArguments({ args, ...rest }) ? { ...rest, arguments: JSON.stringify(args) } : undefined,
  ),
  mutator("arguments beside the op", ({ args, ...rest }, tool) =>
    declares(tool, "op", "dry_run") ? undefined : { ...args, ...rest },
  ),
  mutator("op as name, args as arguments", ({ op, args, ...rest }, tool) =>
    declares(tool, "name") ? undefined : { name: op, arguments: args, ...rest },
  ),
  mutator("op as tool", named("tool")),
  mutator("op as command", named("command")),
  mutator("op as operation", named("operation")),
  mutator("op as path", named("path")),
  mutator("function.name", ({ op, args, ...rest }) => ({
    type: "function",
    function: { name: op, arguments: JSON.stringify(args) },
    ...rest,
  })),
  mutator("op inside args", ({ op, args, ...rest }, tool) =>
    declares(tool, "op") ? undefined : { args: { op, ...args }, ...rest },
  ),
  mutator("the call inside args", (call) => ({ args: call as unknown as JsonObject })),
  mutator("type beside the op", (call) => ({ type: "exec", ...(call as unknown as JsonObject) })),
];

/** A flag elsewhere; not where the op has an argument of the name, which is meant then. */
const withFlag =
  (write: (dryRun: boolean, call: Call) => JsonObject, ...names: readonly string[]): Change =>
  (call, tool) => {
    const { dry_run, ...rest } = call;
    return dry_run === undefined || declares(tool, ...names)
      ? undefined
      : { ...(rest as unknown as JsonObject), ...write(dry_run, call) };
  };
const withKey =
  (write: (key: string, call: Call) => JsonObject): Change =>
  (call) => {
    const { idempotency_key, ...rest } = call;
    return idempotency_key === undefined
      ? undefined
      : { ...(rest as unknown as JsonObject), ...write(idempotency_key, call) };
  };

const EFFECTS: readonly Mutator[] = [
  mutator(
    "dryRun",
    withFlag((dryRun) => ({ dryRun })),
  ),
  mutator(
    "dry-run",
    withFlag((dryRun) => ({ "dry-run": dryRun })),
  ),
  mutator(
    "dry_run as text",
    withFlag((dryRun) => ({ dry_run: String(dryRun) })),
  ),
  mutator(
    "dry_run as Python",
    withFlag((dryRun) => ({ dry_run: dryRun ? "True" : "False" })),
  ),
  mutator(
    "args.dry_run",
    withFlag((dry_run, { args }) => ({ args: { ...args, dry_run } }), "dry_run"),
  ),
  mutator(
    "args.dryRun",
    withFlag((dryRun, { args }) => ({ args: { ...args, dryRun } }), "dryRun"),
  ),
  mutator(
    "idempotencyKey",
    withKey((idempotencyKey) => ({ idempotencyKey })),
  ),
  mutator(
    "args.idempotency_key",
    withKey((idempotency_key, { args }) => ({ args: { ...args, idempotency_key } })),
  ),
  lossy(
    "dry_run beyond reading",
    withFlag(() => ({ dry_run: "perhaps" })),
  ),
  lossy(
    "idempotency_key beyond reading",
    withKey(() => ({ idempotency_key: { a: 1 } })),
  ),
];

const NOTHING: readonly Mutator[] = [
  lossy("nothing", () => ({})),
  lossy("empty args", ({ op }, { parameters }) =>
    parameters.some(({ required }) => required) ? { op, args: {} } : undefined,
  ),
];

export const ENVELOPE_MUTATORS: readonly Mutator[] = [...NOTATION, ...PLACES, ...EFFECTS, ...NOTHING];
