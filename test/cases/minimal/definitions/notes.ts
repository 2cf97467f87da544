import type { ChatToolDefinition } from "toolwright/codegen";

export const NOTE_TOOLS: ChatToolDefinition[] = [
  {
    type: "function",
    function: {
      name: "add_note",
      description: "Add a note. It is kept until it is deleted.",
      parameters: {
        type: "object",
        properties: {
          text: { type: "string", description: "What to remember.", minLength: 1 },
          pinned: { type: "boolean", default: false },
        },
        required: ["text"],
        additionalProperties: false,
      },
    },
  },
  { type: "function", function: { name: "list_notes", description: "List all notes." } },
];
