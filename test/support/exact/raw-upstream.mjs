// An MCP server that reads and writes JSON as text, since every parser of JavaScript would change the tested values.
// `node raw-upstream.mjs` speaks over stdio; `rawAnswer` answers one message for a server over HTTP.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const anything = { type: "object", additionalProperties: true };
const tools = [
  {
    name: "say",
    description: "Answers the JSON of `text` as structured content.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "tell",
    description: "Answers `text` as a block of text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "answer",
    description: "Answers with `text` where a message has its result or error.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "line",
    description: "Answers with `text` as its line, in which `ID` stands for the id.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "echo",
    description: "Answers the text of its arguments.",
    inputSchema: {
      ...anything,
      properties: {
        value: {},
        other: {},
        plain: { type: "number" },
        id: { type: "integer" },
        even: { type: "integer", multipleOf: 2 },
        most: { type: "number", maximum: 5 },
      },
    },
    annotations: { readOnlyHint: true },
  },
  { name: "put", description: "Stores its arguments, and answers their text.", inputSchema: anything },
];

/** The text of the value that begins at a place. */
function valueAt(text, start) {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  token.lastIndex = start;
  let depth = 0;
  do {
    const [one] = token.exec(text) ?? ["}"];
    depth += { "{": 1, "[": 1, "}": -1, "]": -1 }[one] ?? 0;
  } while (depth > 0);
  return text.slice(start, token.lastIndex);
}

const block = (text) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const answers = {
  initialize: () =>
    JSON.stringify({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
    }),
  "tools/list": () => JSON.stringify({ tools }),
  "tools/call": ({ name, arguments: args }, line) => {
    if (name === "say") return `${block(args.text)},"structuredContent":${args.text}}`;
    if (name === "tell") return `${block(args.text)}}`;
    const raw = valueAt(line, line.indexOf('"arguments":') + '"arguments":'.length);
    return `${block(JSON.stringify({ wire: raw }))}}`;
  },
};

/** The text of the answer to a message; undefined for a notification. */
export function rawAnswer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return undefined;
  if (params?.name === "line") return params.arguments.text.replaceAll("ID", JSON.stringify(id));
  if (params?.name === "answer") return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${params.arguments.text}}`;
  const result = answers[method]?.(params, line);
  const rest = result === undefined ? '"error":{"code":-32601,"message":"unknown"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = rawAnswer(line);
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  });
