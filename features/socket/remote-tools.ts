/** Validates the tools that the server on the socket lists before clients see them; nothing in them is trusted. */

import { isSpecType, type Tool as WireTool } from "@modelcontextprotocol/server";
import { isObject, isTooDeep, own } from "../../runtime/contract/json.js";
import { onLine, onLines } from "../../runtime/contract/message-text.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { clip } from "../../runtime/contract/scrub.js";
import { callerIdFault } from "./protocol.js";

/** A remote tool. */
export interface RemoteClientTool {
  /** Its name on the remote server. */
  readonly wire: string;
  /** As clients of this process see it, with its local name. */
  readonly shown: WireTool;
  /** Whether calling it twice is safe. */
  readonly isRead: boolean;
  /** Name and input schema, to detect changes. */
  readonly text: string;
}

/** Result of checking a list. */
export interface Accepted {
  readonly tools: readonly RemoteClientTool[];
  /** Why other tools were refused, one line each. */
  readonly refused: readonly string[];
}

/** Prefix of the tools that need a key. */
export const OUBLIETTE = "oubliette_";

const MAX_TOOLS = 1_000;
const MAX_DESCRIPTION_LENGTH = 8_000;
/** Largest input schema in characters. */
const MAX_SCHEMA_LENGTH = 200_000;
const MAX_TITLE_LENGTH = 200;
/** Characters shown of an invalid name. */
const MAX_SHOWN_NAME_LENGTH = 80;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** Accepts the valid tools of a list under their prefixed names; of two tools with one name the first. */
export function acceptListedTools(list: JsonValue | undefined, prefix: string): Accepted {
  if (!Array.isArray(list)) return { tools: [], refused: ["the list of tools is no list"] };
  const tools = new Map<string, RemoteClientTool>();
  const refused: string[] = [];
  for (const one of list.slice(0, MAX_TOOLS)) {
    const tool = toolOf(one, prefix);
    if (typeof tool === "string") refused.push(tool);
    else if (tools.has(tool.wire)) refused.push(`${tool.shown.name} is listed twice`);
    else tools.set(tool.wire, tool);
  }
  if (list.length > MAX_TOOLS) refused.push(`${list.length - MAX_TOOLS} more tools than the ${MAX_TOOLS} that fit`);
  return { tools: [...tools.values()], refused };
}

/** A tool, or the reason why it is invalid. */
function toolOf(given: unknown, prefix: string): RemoteClientTool | string {
  if (!isObject(given)) return "a tool that is no object";
  const wire = own(given, "name");
  if (typeof wire !== "string") return "a tool without a name";
  const name = `${prefix}${wire}`;
  if (!NAME.test(wire) || !NAME.test(name)) return `${shortly(wire)} is no name of a tool`;
  const inputSchema = own(given, "inputSchema");
  if (!isObject(inputSchema) || isTooDeep(inputSchema)) return `${name} has an input schema that cannot be used`;
  const text = JSON.stringify([name, inputSchema]);
  if (text.length > MAX_SCHEMA_LENGTH) return `${name} has an input schema that is too large`;
  const description = own(given, "description");
  const shown = {
    name,
    ...(typeof description === "string" ? { description: clip(onLines(description), MAX_DESCRIPTION_LENGTH) } : {}),
    inputSchema,
    annotations: annotationsOf(own(given, "annotations")),
  };
  // A client may refuse a whole list because of one invalid tool.
  if (!isSpecType.Tool(shown)) return `${name} has an input schema whose type is not object`;
  return { wire, shown, isRead: shown.annotations?.readOnlyHint === true, text };
}

const shortly = (name: string): string => JSON.stringify(clip(onLine(name), MAX_SHOWN_NAME_LENGTH));

function annotationsOf(given: JsonValue | undefined): NonNullable<WireTool["annotations"]> {
  if (!isObject(given)) return {};
  const title = own(given, "title");
  const hints = HINTS.flatMap((key) => (typeof given[key] === "boolean" ? [[key, given[key]] as const] : []));
  return {
    ...(typeof title === "string" ? { title: clip(onLine(title), MAX_TITLE_LENGTH) } : {}),
    ...Object.fromEntries(hints),
  };
}

/** The tools of a caller, prefixed with its id; none if the id is invalid or reserved. */
export function callerTools(id: JsonValue | undefined, list: JsonValue | undefined): Accepted {
  const said = typeof id === "string" ? shortly(id) : "without an id";
  const fault = typeof id === "string" ? callerIdFault(id) : "form";
  if (fault === "reserved") return { tools: [], refused: [`the caller ${said} has a name that is reserved`] };
  if (fault) return { tools: [], refused: [`the caller ${said} has no usable id`] };
  return acceptListedTools(list, `${id}_`);
}
