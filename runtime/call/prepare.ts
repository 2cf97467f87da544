/** Converts the arguments of a request to checked arguments for a handler, in three steps. */

import type { RegistryView } from "../catalog/registry.js";
import { acceptedNames } from "../contract/accepted-names.js";
import { attention, echo, fieldErrorDetails, received } from "../contract/error-body.js";
import type { FieldError } from "../contract/handler.js";
import { isObject, isTooDeep, MAX_JSON_DEPTH, own } from "../contract/json.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { RESULT_TOOL, validateResultQuery } from "../contract/result-tool.js";
import { withoutNull } from "../contract/type-text.js";
import type { ValidationIssue, Validator } from "../contract/validation.js";
import { TooMuchWork, withBudget } from "../contract/work-budget.js";
import { placeAt } from "./arguments/branch.js";
import { checkConstraints } from "./arguments/constraints.js";
import { fillDefaults } from "./arguments/defaults.js";
import { emptyRequired } from "./arguments/empty.js";
import { judgeExact, withNearestNumbers } from "./arguments/exact.js";
import { fieldErrors, sortErrors, tooManySteps, unknownArgument } from "./arguments/field-errors.js";
import { parseObject } from "./arguments/json-text.js";
import { type Repaired, repairArguments } from "./arguments/repairs.js";
import { propertiesOf, requiredOf } from "./arguments/schema.js";
import { handedOut } from "./arguments/unfilled-placeholders.js";
import { type CheckedCall, type RepairedCall, type ResolvedCall, refuse } from "./call.js";
import type { Services } from "./services.js";

/**
 * Repairs the arguments, with a warning for each repair.
 *
 * @throws CallError VALIDATION_ERROR if that takes too much work
 */
export function repairCall(call: ResolvedCall): RepairedCall {
  const repaired = bounded(call, () => repairArguments(call.tool, call.args));
  call.warnings.push(...repaired.warnings);
  return { ...call, args: repaired.args, repaired };
}

/**
 * Chooses between dry run and call, completes the arguments, and checks them.
 *
 * @throws CallError VALIDATION_ERROR with all findings at once
 */
export async function checkArguments(call: RepairedCall): Promise<CheckedCall> {
  const { services, tool, repaired } = call;
  const validate = await validatorOf(services, tool);
  const choice = chooseDryRun(call);
  const completeArgs = bounded(call, () => fillDefaults(choice.args, tool.parameters_schema));
  const found = bounded(call, () => findings(validate, tool, completeArgs, repaired));
  const errors = sortErrors([...choice.errors, ...found]);
  if (errors.length > 0) refuseArguments(call, errors);
  if (choice.warning !== undefined) call.warnings.push(choice.warning);
  return { ...call, givenArgs: choice.args, completeArgs, dryRun: choice.dryRun };
}

/** Repaired arguments, and everything that is wrong with them. */
export interface Checked extends Pick<Repaired, "args" | "undecided"> {
  readonly errors: readonly FieldError[];
}

/** Makes the check of the arguments of an op, without what belongs to one call. */
export async function argumentCheck(services: Services, tool: Tool): Promise<(given: JsonObject) => Checked> {
  const validate = await validatorOf(services, tool);
  return (given) => {
    const repaired = repairArguments(tool, given);
    const errors = findings(validate, tool, fillDefaults(repaired.args, tool.parameters_schema), repaired);
    return { args: repaired.args, undecided: repaired.undecided, errors: sortErrors(errors) };
  };
}

/** Does work that is bounded; arguments that take more are refused. */
function bounded<T>(call: ResolvedCall, work: () => T): T {
  try {
    return withBudget(work, call.budget);
  } catch (cause) {
    if (!(cause instanceof TooMuchWork)) throw cause;
    return refuseArguments({ ...call, args: {} }, [tooManySteps()]);
  }
}

async function validatorOf({ project }: Services, tool: Tool): Promise<Validator> {
  const { group, op } = tool;
  if (tool === RESULT_TOOL) return validateResultQuery;
  const validate = (await project.validators(group)).get(op);
  if (!validate) throw new Error(`there is no validator for ${op}: run "toolwright generate"`);
  return validate;
}

function refuseArguments(call: ResolvedCall, errors: readonly FieldError[]): never {
  const suggestions = waysToAnId(call.view, call.tool, errors);
  const found = suggestions.length > 0 ? { suggestions } : {};
  const details = { ...fieldErrorDetails(errors), ...found };
  return refuse({ ...call, errors }, "VALIDATION_ERROR", attention(errors), details);
}

/**
 * Reads the arguments as an object: parses a text, and replaces references to earlier results.
 *
 * @throws CallError VALIDATION_ERROR if they are no object, nest too deep, or hold a reference to nothing
 */
export function readArguments(call: ResolvedCall): ResolvedCall {
  const { args: sent } = call.envelope;
  const value = typeof sent === "string" ? parseArguments(call, sent) : (sent ?? (sent === null ? null : {}));
  const { args, errors } = call.options.references?.(value) ?? { args: value, errors: [] };
  if (!isObject(args)) {
    const fault = errors.length > 0 ? errors : [notArguments("args is not an object", "type", args)];
    return refuseArguments(call, fault);
  }
  if (errors.length > 0) return refuseArguments({ ...call, args }, errors);
  if (isTooDeep(args))
    return refuseArguments(call, [notArguments(`args nest deeper than ${MAX_JSON_DEPTH} levels`, "maxDepth", {})]);
  return { ...call, args };
}

function parseArguments(call: ResolvedCall, text: string): JsonObject {
  const parsed = parseObject(text);
  if (parsed.kind === "broken")
    return refuseArguments(call, [
      notArguments(`args is not JSON: it breaks at position ${parsed.position}`, "type", text),
    ]);
  if (parsed.kind === "repeated")
    return refuseArguments(call, [notArguments(`args has ${echo(parsed.name)} twice`, "uniqueItems", text)]);
  if (parsed.kind === "other") return refuseArguments(call, [notArguments("args holds no JSON object", "type", text)]);
  call.warnings.push("args_parsed: args came as text; send an object");
  return parsed.value;
}

const notArguments = (message: string, keyword: string, value: unknown): FieldError => ({
  path: "args",
  keyword,
  message,
  expected: "object",
  received: received(value),
});

/** Most findings of the validator that are processed. */
const MAX_ISSUES = 500;

/** Everything that is wrong with completed arguments. */
function findings(validate: Validator, tool: Tool, args: JsonObject, repaired: Repaired): readonly FieldError[] {
  const { issues, more } = issuesOf(validate, tool, args);
  const empty = emptyRequired(issues, args, tool.parameters_schema);
  const placeholders = handedOut(tool, args);
  const unknown = undeclared(tool, repaired.args);
  const broken = checkConstraints(tool, repaired.args);
  const own = [repaired.errors, empty, placeholders, unknown, broken];
  if (issues.length + more === 0 && own.every(({ length }) => length === 0)) return [];
  const covered = [...repaired.covered, ...[...empty, ...placeholders].map((error) => error.path)];
  const isNew = (path: string): boolean =>
    !covered.some((at) => path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`));
  const told = issues.filter((issue) => isNew(placeAt(tool.parameters_schema, args, issue.instancePath).path));
  return [
    ...repaired.errors,
    ...empty,
    ...placeholders,
    ...fieldErrors(tool, args, told, repaired.args),
    ...unknown,
    ...broken,
    ...(more > 0 ? [moreFindings(more)] : []),
  ];
}

/** The finding that counts unlisted findings. */
const moreFindings = (more: number): FieldError => ({
  path: "*",
  keyword: "maxErrors",
  message: `${more} or more further findings are not listed`,
  expected: `at most ${MAX_ISSUES} findings`,
  received: `${more} or more further findings`,
});

interface Issues {
  readonly issues: readonly ValidationIssue[];
  readonly more: number;
}

/** The validator's findings for rounded numbers, corrected by the rules for the exact ones. */
function issuesOf(validate: Validator, { parameters_schema }: Tool, args: JsonObject): Issues {
  const plain = withNearestNumbers(args);
  const all = validate(plain) ? [] : (validate.errors ?? []);
  const issues = all.slice(0, MAX_ISSUES);
  const more = all.length - issues.length;
  return { issues: plain === args ? issues : judgeExact(issues, args, parameters_schema), more };
}

/** Unknown arguments are errors, even if the schema only lists the known ones; what it refuses itself, the validator reports. */
function undeclared(tool: Tool, args: JsonObject): readonly FieldError[] {
  const { declared, accepts } = acceptedNames(tool.parameters_schema);
  if (tool.parameters_schema["unevaluatedProperties"] === false) return [];
  const unknown = Object.keys(args).filter((name) => !accepts(name));
  return unknown.slice(0, MAX_ISSUES).map((name) => unknownArgument(name, args, [...declared.keys()], ""));
}

interface DryRunChoice {
  readonly args: JsonObject;
  readonly dryRun: boolean;
  readonly errors: readonly FieldError[];
  readonly warning?: string;
}

/** Decides whether the call is a dry run, with a warning about it. */
function chooseDryRun(call: ResolvedCall): DryRunChoice {
  // A read is carried out, and says so, if it has a handler.
  return call.tool.kind === "write" ? chooseForWrite(call) : { args: call.args, dryRun: false, errors: [] };
}

/**
 * If an op of this project has its own `dry_run` argument, the field of the envelope and the argument mean the same. That of a server
 * or an API is sent as it is, unless the configuration makes it the switch.
 */
function chooseForWrite({ services, tool, args, envelope }: ResolvedCall): DryRunChoice {
  const configured = services.project.settings.ops.get(tool.op)?.dry_run;
  const isSwitch = tool.source.kind === "local" || configured !== undefined;
  const argument = isSwitch ? propertiesOf(tool.parameters_schema).get("dry_run") : undefined;
  const given = argument && own(args, "dry_run");
  const explicit = envelope.dryRun ?? (typeof given === "boolean" ? given : undefined);
  const dryRun = explicit ?? configured ?? argument?.["default"] === true;
  const differ = typeof given === "boolean" && explicit !== given;
  // A value of another type is left unchanged for the validator to report.
  const settled = argument && (given === undefined || typeof given === "boolean") ? { ...args, dry_run: dryRun } : args;
  const warning = "dry_run_default: nothing was changed; send dry_run=false to apply";
  return {
    args: settled,
    dryRun,
    errors: differ ? [twoDryRuns(dryRun, given)] : [],
    ...(explicit === undefined && dryRun ? { warning } : {}),
  };
}

const twoDryRuns = (asked: boolean, own: boolean): FieldError => ({
  path: "dry_run",
  keyword: "one_of",
  message: `dry_run is ${asked} beside args and ${own} in args, which are the same switch`,
  expected: "one value",
  received: `${asked}, ${own}`,
});

/** Ops that find a missing id. They are suggested, and the op itself is not replaced. */
function waysToAnId(view: RegistryView, tool: Tool, errors: readonly FieldError[]): readonly string[] {
  const lacking = errors.filter(({ keyword }) => keyword === "required" || keyword === "pattern" || keyword === "type");
  const kinds = new Set(lacking.flatMap(({ expected }) => /^id<(.+)>$/.exec(withoutNull(expected))?.[1] ?? []));
  const untyped = lacking.some(
    ({ path, expected }) => expected === "id" && requiredOf(tool.parameters_schema).includes(path),
  );
  const finds = view.listed.filter(
    ({ entity, action, kind, op }) =>
      kind === "read" &&
      (action === "list" || action === "search") &&
      op.split(".").length <= 3 &&
      (kinds.has(entity ?? "") || (untyped && entity === undefined)),
  );
  return finds.map((found) => found.op);
}
