import type { ChatToolDefinition } from "toolwright/codegen";
import { PAGE, SUBJECT, TICKET_ID as ID, TICKET_STATES } from "./shared/fields.js";

const state = { type: "string", enum: [...TICKET_STATES] } as const;
const KEY = "ticket_id";
const closed = <const>{ additionalProperties: false };

const LISTING = [
  {
    type: "function",
    function: {
      name: "list_" + SUBJECT + "s",
      description: `List ${SUBJECT}s, newest first.`,
      parameters: { type: "object", properties: { state, ...PAGE }, ...closed },
    },
  },
] satisfies ChatToolDefinition[];

/** A function beside the tools, which the generator ignores. */
export const describeTool = (name: string): string => `tool ${name}`;

export const TICKET_TOOLS = [
  ...LISTING,
  {
    type: "function",
    function: {
      name: ["close", SUBJECT].join("_"),
      description: ["Close a ticket.", "", "A closed ticket can be opened again."].join("\n"),
      parameters: {
        type: "object",
        properties: {
          [KEY]: ID,
          score: { type: "number", minimum: -1, maximum: +1.5 },
          reason: { ...state, enum: ["solved", "duplicate"] },
        },
        required: [KEY],
        ...closed,
      },
    },
  },
] as ChatToolDefinition[];
