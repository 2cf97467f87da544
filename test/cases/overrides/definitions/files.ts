import type { ChatToolDefinition } from "toolwright/codegen";

const FILE_ID = { type: "string", "x-id": "file" };
const PROJECT_ID = { type: "string", "x-id": "project" };

export const FILES: ChatToolDefinition[] = [
  {
    type: "function",
    function: {
      name: "update_disk_file",
      description: "Change a file.",
      parameters: {
        type: "object",
        properties: {
          file_id: FILE_ID,
          title: { type: "string", "x-aliases": ["label"] },
          text: { type: "string" },
          mode: { type: "string", enum: ["replace", "append"], default: "replace" },
          expires_at: { type: ["string", "null"], format: "date-time" },
        },
        required: ["file_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "copy_file",
      description: "Copy a file over another, or to a new one.",
      parameters: {
        type: "object",
        properties: { project_id: PROJECT_ID, target_id: FILE_ID, title: { type: "string" }, folder: { type: "string" } },
        required: ["project_id"],
      },
    },
  },
  {
    type: "function",
    function: { name: "list_disk_files", description: "List files.", parameters: { type: "object", properties: { project_id: PROJECT_ID } } },
  },
  {
    type: "function",
    function: {
      name: "delete_disk_file",
      description: "Delete a file.",
      parameters: { type: "object", properties: { file_id: FILE_ID }, required: ["file_id"] },
    },
  },
];
