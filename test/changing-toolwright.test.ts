/** The examples of docs/changing-toolwright.md: a gateway tool and a notation of Python are rows that the tables take. */

import { runInNewContext } from "node:vm";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";
import { isHelpFailure } from "../runtime/catalog/help.js";
import { NOTATIONS, type Notation } from "../runtime/run/languages/python/notations.js";
import { readQuickly } from "../runtime/run/languages/python/reading.js";
import { SERVED_TOOLS, type ServedTool } from "../runtime/serve/gateway-tools.js";
import { createServer } from "../runtime/serve/mcp/server.js";
import { fixture, liveOf, principal } from "./runtime/gateway/fixture.js";
import { blocksIn } from "./support/doc-blocks.js";
import { pageText } from "./support/doc-pages.js";

const blocks = blocksIn("docs/changing-toolwright.md", pageText("docs/changing-toolwright.md"));

/** The code of the block that begins so. */
const blockOf = (start: string): string => blocks.find(({ text }) => text.startsWith(start))?.text ?? "";

/** What an expression is after a piece of TypeScript. */
const valueAfter = (code: string, expression: string, scope: object): unknown =>
  runInNewContext(`${transformSync(code, { loader: "ts", format: "cjs" }).code};${expression}`, {
    module: {},
    ...scope,
  });

test("the notation of the example reads a command", () => {
  const [SNIPPET, PYTHON_ITSELF] = NOTATIONS;
  const languages = valueAfter(blockOf("const CALLS"), "NOTATIONS", { SNIPPET, PYTHON_ITSELF }) as readonly Notation[];
  expect([...languages].map(({ name }) => name)).toEqual(["snippet", "calls", "python"]);
  const names = { aliases: new Map(), packs: new Set(["onto"]), bare: new Map() };
  const read = readQuickly("command", "```calls\nonto.list\n```", { names }, 1000, [...languages]);
  expect(read).toMatchObject({ kind: "read", rewritten: { source: "onto.list()" } });
});

test("the gateway tool of the example is listed, and answers", async () => {
  const rows = { RUN: {}, HELP: {}, EXEC: {}, BATCH: {} };
  const row = valueAfter(blockOf("const COUNT"), "COUNT", rows) as Omit<ServedTool, "answer">;
  const answers = `const answers = { ${blockOf("tool_count(")} };`;
  const answer = valueAfter(answers, "answers.tool_count", { isHelpFailure }) as ServedTool["answer"];
  const { gateway } = fixture();
  const gatewayTools = [...SERVED_TOOLS, { ...row, answer }];
  const server = createServer({ live: liveOf(gateway), principal: () => principal(), version: "0", gatewayTools });
  const client = new Client({ name: "test", version: "1" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("tool_count");
  const call = async (pack: string) => client.callTool({ name: "tool_count", arguments: { pack } });
  const { items } = gateway.help({ path: "onto" }, principal()) as { readonly items: readonly unknown[] };
  expect((await call("onto")).structuredContent).toEqual({ ops: items.length });
  expect((await call("nothing.there")).isError).toBe(true);
});
