import type { ChatToolDefinition } from "toolwright/codegen";

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };

const define = [
  {
    type: "function",
    function: {
      name: "create_event",
      description: `Create an event in the calendar.

Use this when:
- The user names a day and an hour
- A reminder must ring **even offline** (which needs a device that was switched on at least once in the last week)

Do not create an event for:
- Anything already in the calendar
* Deadlines; they belong to tasks

Clarification:
1. Ask for the time zone when people are in several
2) Take the user's own zone otherwise

Examples:
- "Lunch with Kim on Friday" -> create it
- "I might go running some day" → do not create anything
- A line without an arrow says nothing

Prefer short titles. Never invent guests; if a name is ambiguous, ask. Only fields that are provided are stored.

Returns:
- Never parsed as a rule
{ "do not": "read this either" }`,
      parameters: NO_ARGUMENTS,
    },
  },
  {
    type: "function",
    function: {
      name: "send_invitation",
      description: "Send an invitation. Never send it twice. Use when everybody agreed.",
      parameters: NO_ARGUMENTS,
    },
  },
  {
    type: "function",
    function: {
      name: "find_free_hours",
      description: "Find hours when everybody is free. Always pass a range of days. If nobody is free, widen it.",
      parameters: NO_ARGUMENTS,
    },
  },
] satisfies ChatToolDefinition[];

export const CALENDAR_TOOLS = define;
