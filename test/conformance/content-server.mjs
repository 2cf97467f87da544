// An upstream MCP server of the conformance fixture: tools that answer with more than text, or ask the client.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/** One red pixel, and a WAV file without a sample. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const image = { type: "image", data: PNG, mimeType: "image/png" };
const text = (value) => ({ type: "text", text: value });
const resource = (uri, mimeType, content) => ({ type: "resource", resource: { uri, mimeType, text: content } });
const object = (properties = {}, required = Object.keys(properties)) => ({ type: "object", properties, required });
const string = (more = {}) => ({ type: "string", ...more });
const titled = (...pairs) => pairs.map(([value, title]) => ({ const: value, title }));

const DEFAULTS = object(
  {
    name: string({ default: "John Doe" }),
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: string({ enum: ["active", "inactive", "pending"], default: "active" }),
    verified: { type: "boolean", default: true },
  },
  [],
);
const OPTIONS = ["option1", "option2", "option3"];
const ENUMS = object(
  {
    untitledSingle: string({ enum: OPTIONS }),
    titledSingle: string({
      oneOf: titled(["value1", "First Option"], ["value2", "Second Option"], ["value3", "Third Option"]),
    }),
    legacyEnum: string({ enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] }),
    untitledMulti: { type: "array", items: string({ enum: OPTIONS }) },
    titledMulti: {
      type: "array",
      items: { anyOf: titled(["value1", "First Choice"], ["value2", "Second Choice"], ["value3", "Third Choice"]) },
    },
  },
  [],
);

const server = new Server({ name: "content", version: "1.0.0" }, { capabilities: { tools: {} } });
const elicit = async (message, requestedSchema) => {
  const { action, content } = await server.elicitInput({ message, requestedSchema });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
};

/** Name, description, input, content. */
const TOOLS = [
  ["test_image_content", "Answers with an image.", object(), () => [image]],
  ["test_audio_content", "Answers with audio.", object(), () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }]],
  [
    "test_embedded_resource",
    "Answers with a resource.",
    object(),
    () => [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  ],
  [
    "test_resource_prompt",
    "Answers with a text and the resource of an address.",
    object({ resourceUri: string() }),
    ({ resourceUri }) => [
      text("Please look at this resource:"),
      resource(resourceUri, "text/plain", "Embedded resource content for testing."),
    ],
  ],
  [
    "test_multiple_content_types",
    "Answers with text, an image and a resource.",
    object(),
    () => [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  ],
  [
    "test_sampling",
    "Asks the client's model.",
    object({ prompt: string() }),
    async ({ prompt }) => {
      const messages = [{ role: "user", content: text(prompt) }];
      const { content } = await server.createMessage({ messages, maxTokens: 100 });
      return [text(`LLM response: ${content.type === "text" ? content.text : content.type}`)];
    },
  ],
  [
    "test_elicitation",
    "Asks the client's person.",
    object({ message: string() }),
    async ({ message }) => {
      const asked = object({
        username: string({ description: "User's response" }),
        email: string({ description: "User's email address" }),
      });
      return [text(`User response: ${await elicit(message, asked)}`)];
    },
  ],
  [
    "test_elicitation_sep1034_defaults",
    "Asks with defaults.",
    object(),
    async () => [text(`Elicitation completed: ${await elicit("Please check", DEFAULTS)}`)],
  ],
  [
    "test_elicitation_sep1330_enums",
    "Asks with choices.",
    object(),
    async () => [text(`Elicitation completed: ${await elicit("Please choose", ENUMS)}`)],
  ],
];

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: TOOLS.map(([name, description, inputSchema]) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: true },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const [, , , content] = TOOLS.find(([name]) => name === params.name) ?? [];
  if (!content) throw new Error(`no tool ${params.name}`);
  return { content: await content(params.arguments ?? {}) };
});
await server.connect(new StdioServerTransport());
