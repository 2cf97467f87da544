/** The answer of `tool_help` about an op, and about one part of its arguments or result. */

import { attention, echo, errorBody, fieldErrorDetails } from "../contract/error-body.js";
import type { FieldError } from "../contract/handler.js";
import { type HelpCall, type HelpDocument, type HelpOptions, UNKNOWN } from "../contract/help.js";
import { opHelp, partHelp } from "../contract/op-page.js";
import type { Tool } from "../contract/registry.js";
import { placeAtPath } from "../contract/schema-place.js";
import { type ItemOptions, opItems } from "./directory.js";
import type { ErrorAnswer, OpAnswer } from "./help-answers.js";
import type { Project } from "./project.js";
import { isHiddenName, type RegistryView } from "./registry.js";

/** What the answer about an op depends on. */
export interface OpQuery {
  readonly project: Project;
  readonly view: RegistryView;
  readonly options: HelpOptions;
  readonly items: ItemOptions;
  /** The part that is asked for. */
  readonly at: string | undefined;
}

/** The answer about an op, or about a part of it. */
export function opAnswer(query: OpQuery, tool: Tool, requested?: string): OpAnswer | ErrorAnswer {
  const { project, items, options, view, at } = query;
  if (at !== undefined) return partAnswer(query, tool, at);
  const whole = documentOf(project, tool);
  const document = {
    ...whole,
    see_also: whole.see_also.filter((op) => !isHiddenName(op, project.registry, view)),
  };
  const help = opHelp(tool, project.registry.registry_version, document, options);
  const { type, path, registry_version, kind, next, ...rest } = help;
  const names = { type, path, ...(requested === undefined ? {} : { requested_path: echo(requested) }) };
  const below = opItems(view.below(tool.op) ?? [], items);
  return {
    ...names,
    registry_version,
    kind,
    ...(items.denied && kind === "write" ? { denied: true } : {}),
    ...rest,
    ...(below.length > 0 ? { items: below } : {}),
    ...(next ? { next } : {}),
  };
}

const documentOf = (project: Project, tool: Tool): HelpDocument => project.helpOf(tool.op) ?? bareDocument(tool);

function partAnswer({ project, options }: OpQuery, tool: Tool, at: string): OpAnswer | ErrorAnswer {
  const found = partHelp(tool, at, project.registry.registry_version, documentOf(project, tool), options);
  if (found) return found;
  const parent = at.replace(/(?:\[[^\]]*\]|\.?[^.[\]]*)$/, "");
  const isKnown = parent !== "" && placeAtPath(tool, parent) !== undefined;
  const message = isKnown ? `at: ${parent} has no such part` : "at is no part of the op";
  const error: FieldError = {
    path: "at",
    keyword: "enum",
    message,
    expected: isKnown
      ? `a part of ${parent}`
      : `${tool.parameters.map(({ name }) => name).join("|")}|returns`.slice(0, 400),
    received: echo(at),
  };
  return refusedHelp(tool.op, [error], isKnown ? { path: tool.op, at: parent } : { path: tool.op });
}

/** The answer to a request that is refused. */
export function refusedHelp(path: unknown, errors: readonly FieldError[], corrected_call: HelpCall): ErrorAnswer {
  const details = fieldErrorDetails(errors);
  const message = attention(errors);
  return {
    type: "error",
    path: echo(path),
    error: errorBody({ code: "VALIDATION_ERROR", message, details, help_path: "root", corrected_call }),
  };
}

/** A help document made from the registry alone, for an op that the help index lacks. */
function bareDocument(tool: Tool): HelpDocument {
  const args = tool.parameters.map(({ name, type, required }) => ({
    name,
    type,
    ...(required ? { required: true as const } : {}),
  }));
  const names = tool.parameters.map(({ name, required }) => (required ? name : `${name}?`));
  return {
    kind: tool.kind,
    summary: tool.summary,
    usage: `${tool.op}(${names.join(", ")})`,
    args,
    notes: tool.notes,
    ...(tool.policy ? { policy: tool.policy } : {}),
    examples: tool.examples,
    description: tool.description,
    returns: UNKNOWN,
    errors: [],
    see_also: [],
    constraints: [],
  };
}
