import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import * as mini from "zod/mini";
import { aiTool, jsonSchema, StructuredTool, typeboxObject } from "./shapes.ts";

const upper = (text: string): string => text.toUpperCase();

/** Zod in the form of the AI SDK: the name is that of the export. */
export const get_order = aiTool({
  description: "Get an order by its number.",
  inputSchema: z.object({
    number: z.string().min(1).describe("Number of the order").transform(upper),
    detail: z.enum(["short", "long"]).default("short"),
    isRead: z.boolean().default(() => process.env["HOME"] === undefined),
  }),
  execute: async (args: object, { toolCallId, abortSignal }: any) => ({
    ...args,
    options: [typeof toolCallId, abortSignal instanceof AbortSignal],
  }),
});

export const tools = [
  {
    name: "list_orders",
    description: "List orders.",
    inputSchema: v.object({ limit: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(50)), 20) }),
    annotations: { title: "Orders", readOnlyHint: true },
    handler: async (args: object) => args,
  },
  {
    name: "create_order",
    description: "Create an order.",
    input: type({ item: "string > 0", "count?": "1 <= number.integer <= 9" }),
    annotations: { destructiveHint: false },
    run: async (args: object, ctx: { traceId: string }) => ({ ...args, traced: ctx.traceId !== "" }),
  },
  {
    name: "delete_order",
    description: "Delete an order.",
    parameters: typeboxObject({ number: { type: "string" } }),
    func: async (args: object) => args,
  },
  { name: "get_status", description: "Get the status of the shop.", execute: async () => ({ open: true }) },
];

/** Tools by name. */
export default {
  get_price: aiTool({
    description: "Get a price.",
    inputSchema: () =>
      jsonSchema(
        { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
        {
          validate: ({ item }: { item: string }) =>
            item === "none" ? { success: false, error: new Error("no such item") } : { success: true, value: { item, read: true } },
        },
      ),
    async *execute(args: object) {
      yield { ...args, step: 1 };
      yield { ...args, step: 2 };
    },
  }),
  get_stock: aiTool({
    description: "Get the stock of an item.",
    inputSchema: mini.object({ item: mini.string() }),
    execute: async (args: object) => args,
  }),
  get_order,
};

export const search_items = new StructuredTool(async ({ query }: { query: string }) => `found ${query}`, {
  name: "search_items",
  description: "Search items.",
  schema: z.object({ query: z.string().min(2).transform(upper) }),
});

export const server = new McpServer({ name: "parcels", version: "1.0.0" });

server.registerTool(
  "track_parcel",
  {
    title: "Track",
    description: "Get where a parcel is.",
    inputSchema: { parcel: z.string().transform(upper), detail: z.boolean().default(false) },
    outputSchema: { parcel: z.string(), place: z.string() },
    annotations: { readOnlyHint: true },
  },
  async ({ parcel }) => {
    if (parcel === "GONE") return { content: [{ type: "text", text: "the parcel is lost" }], isError: true };
    const where = { parcel, place: "Rome" };
    return { content: [{ type: "text", text: JSON.stringify(where) }], structuredContent: where };
  },
);
server.registerTool("send_parcel", { description: "Send a parcel." }, async () => ({ content: [{ type: "text", text: "sent" }] }));

/** What is no tool stands beside tools. */
export const LIMITS = { most: 50 };
export const argumentsOf = z.object({ id: z.string() }).describe("Arguments that tools share");
export const schemaOf = (schema: Parameters<typeof toJsonSchema>[0]) => toJsonSchema(schema);
export const old = z3.object({});
