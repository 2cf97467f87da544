/** Tools that the server on the socket names, as a client of ours is shown them: nothing of them is believed. */

import { isSpecType, type Tool as WireTool } from "@modelcontextprotocol/server";
import { onLine, onLines } from "../contract/on-line.js";
import type { JsonValue } from "../contract/registry.js";
import { isObject, isTooDeep, own } from "../json.js";
import { clip } from "../observe/scrub.js";
import { callerIdFault } from "./protocol.js";

/** A tool of the other side. */
export interface FarTool {
  /** Its name there. */
  readonly wire: string;
  /** As a client of ours is shown it, under the name that it has here. */
  readonly shown: WireTool;
  /** Whether calling it twice does no harm. */
  readonly isRead: boolean;
  /** Name and input schema, to see whether something changed. */
  readonly text: string;
}

/** What became of a list. */
export interface Accepted {
  readonly tools: readonly FarTool[];
  /** Why others were refused, a line each. */
  readonly refused: readonly string[];
}

/** Prefix of the tools that a key opens. */
export const OUBLIETTE = "oubliette_";

const MOST_TOOLS = 1_000;
const LONGEST_DESCRIPTION = 8_000;
/** Characters of one input schema. */
const LONGEST_SCHEMA = 200_000;
const LONGEST_TITLE = 200;
/** What is shown of a name that is none. */
const LONGEST_SHOWN_NAME = 80;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** The tools of a list that can be shown, each under its name with the prefix; of two with one name the first. */
export function acceptTools(list: JsonValue | undefined, prefix: string): Accepted {
  if (!Array.isArray(list)) return { tools: [], refused: ["the list of tools is no list"] };
  const tools = new Map<string, FarTool>();
  const refused: string[] = [];
  for (const one of list.slice(0, MOST_TOOLS)) {
    const tool = toolOf(one, prefix);
    if (typeof tool === "string") refused.push(tool);
    else if (tools.has(tool.wire)) refused.push(`${tool.shown.name} is listed twice`);
    else tools.set(tool.wire, tool);
  }
  if (list.length > MOST_TOOLS) refused.push(`${list.length - MOST_TOOLS} more tools than the ${MOST_TOOLS} that fit`);
  return { tools: [...tools.values()], refused };
}

/** A tool, or why it is none. */
function toolOf(given: unknown, prefix: string): FarTool | string {
  if (!isObject(given)) return "a tool that is no object";
  const wire = own(given, "name");
  if (typeof wire !== "string") return "a tool without a name";
  const name = `${prefix}${wire}`;
  if (!NAME.test(wire) || !NAME.test(name)) return `${shortly(wire)} is no name of a tool`;
  const inputSchema = own(given, "inputSchema");
  if (!isObject(inputSchema) || isTooDeep(inputSchema)) return `${name} has an input schema that cannot be used`;
  const text = JSON.stringify([name, inputSchema]);
  if (text.length > LONGEST_SCHEMA) return `${name} has an input schema that is too large`;
  const description = own(given, "description");
  const shown = {
    name,
    ...(typeof description === "string" ? { description: clip(onLines(description), LONGEST_DESCRIPTION) } : {}),
    inputSchema,
    annotations: annotationsOf(own(given, "annotations")),
  };
  // One tool that a client cannot read would cost it the whole list.
  if (!isSpecType.Tool(shown)) return `${name} has an input schema that is none of an object`;
  return { wire, shown, isRead: shown.annotations?.readOnlyHint === true, text };
}

const shortly = (name: string): string => JSON.stringify(clip(onLine(name), LONGEST_SHOWN_NAME));

function annotationsOf(given: JsonValue | undefined): NonNullable<WireTool["annotations"]> {
  if (!isObject(given)) return {};
  const title = own(given, "title");
  const hints = HINTS.flatMap((key) => (typeof given[key] === "boolean" ? [[key, given[key]] as const] : []));
  return {
    ...(typeof title === "string" ? { title: clip(onLine(title), LONGEST_TITLE) } : {}),
    ...Object.fromEntries(hints),
  };
}

/** The tools of a caller, named after it; none where it takes a name that is not its to take. */
export function callerTools(id: JsonValue | undefined, list: JsonValue | undefined): Accepted {
  const said = typeof id === "string" ? shortly(id) : "without an id";
  const fault = typeof id === "string" ? callerIdFault(id) : "form";
  if (fault === "reserved") return { tools: [], refused: [`the caller ${said} has a name that is reserved`] };
  if (fault) return { tools: [], refused: [`the caller ${said} has no usable id`] };
  return acceptTools(list, `${id}_`);
}
