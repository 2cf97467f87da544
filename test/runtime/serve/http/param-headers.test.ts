/** Headers that repeat arguments: in the newer protocol, a call is refused if they differ. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../../runtime/codegen.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { createMcp } from "../../../../runtime/serve/http/mcp.js";
import { headerFault } from "../../../../runtime/serve/http/param-headers.js";
import { runs } from "../../../support/random.js";
import { fixture, grant, liveOf } from "../../gateway/fixture.js";
import { closed, TOOLS } from "../../gateway/fixture-tools.js";

const SCHEMA: JsonSchema = closed({
  region: { type: "string", "x-mcp-header": "Region" },
  attempt: { type: "integer", "x-mcp-header": "Attempt" },
  dry: { type: "boolean", "x-mcp-header": "Dry" },
  deep: closed({ down: { type: "string", "x-mcp-header": "Down" } }) as never,
  odd: { type: "string", "x-mcp-header": "no token" },
  plain: { type: "string" },
});
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;
const faultOf = (args: unknown, sent: Readonly<Record<string, string>>) =>
  headerFault(SCHEMA, args, new Headers(Object.entries(sent).map(([name, value]) => [`Mcp-Param-${name}`, value])));

describe("header and argument", () => {
  test.each<[object, Record<string, string>]>([
    [{}, {}],
    [{ region: "eu" }, { Region: "eu" }],
    [{ region: "eu" }, { region: " eu " }],
    [{ region: "eü" }, { Region: base64("eü") }],
    [{ region: "SGVsbG8=" }, { Region: "SGVsbG8=" }],
    [{ region: "=?base64?SGVsbG8=" }, { Region: "=?base64?SGVsbG8=" }],
    [{ attempt: 42 }, { Attempt: "42" }],
    [{ attempt: 42 }, { Attempt: "42.0" }],
    [{ dry: false }, { Dry: "false" }],
    [{ deep: { down: "x" } }, { Down: "x" }],
    [{ region: null }, {}],
    [{ plain: "x", odd: "y" }, {}],
    // A header that repeats nothing says nothing.
    [{}, { Region: "eu" }],
  ])("%j and %j agree", (args, sent) => expect(faultOf(args, sent)).toBeUndefined());

  test.each<[object, Record<string, string>, string]>([
    [{ region: "eu" }, {}, "the argument region is there, and its header Mcp-Param-Region is not"],
    [{ region: "eu" }, { Region: "us" }, "the header Mcp-Param-Region and the argument region differ"],
    [{ region: "eu" }, { Region: "EU" }, "differ"],
    [{ region: "Hello" }, { Region: "=?base64?SGVsbG8?=" }, "is not the Base64 that it claims to be"],
    [{ region: "Hello" }, { Region: "=?base64?SGVs!!!bG8=?=" }, "is not the Base64 that it claims to be"],
    [{ region: "x" }, { Region: "=?base64?/w==?=" }, "is not the Base64 that it claims to be"],
    [{ attempt: 42 }, { Attempt: "0x2a" }, "differ"],
    [{ region: "42" }, { Region: "42.0" }, "differ"],
    [{ dry: false }, { Dry: "False" }, "differ"],
    [{ deep: { down: "x" } }, {}, "the argument deep.down is there"],
    [{ region: "eu", attempt: 1 }, { Region: "eu" }, "the argument attempt is there"],
  ])("%j and %j do not", (args, sent, says) => expect(faultOf(args, sent)).toContain(says));

  test("any text agrees with itself in Base64, and with no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (one, other) => {
        expect(faultOf({ region: one }, { Region: base64(one) })).toBeUndefined();
        expect(faultOf({ region: one }, { Region: base64(other) }) === undefined).toBe(one === other);
      }),
      runs(1000),
    );
  });
});

describe("over HTTP", () => {
  const [sample] = TOOLS.filter(({ kind, access }) => kind === "read" && access === "read");
  if (!sample) throw new Error("no tools");
  const tool: Tool = {
    ...sample,
    op: "shown.region",
    tool_name: "region",
    group: "shown",
    parameters: [],
    parameters_schema: SCHEMA,
    aliases: [],
  };
  const shown = { gateway: false, hot: [], budget: undefined };
  const settings = { expose: shown, run: runSettingsOf({ expose: { gateway: false } }) };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  async function ask(headers: Readonly<Record<string, string>>, isNew: boolean, who = grant("read")) {
    const made = fixture({ more: [tool], settings });
    const mcp = createMcp({ live: liveOf(made.gateway), version: "0.0.0" });
    const body = {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "region", arguments: { region: "eu" }, ...(isNew ? { _meta: meta } : {}) },
    };
    const request = new Request("http://localhost/mcp", {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(isNew ? { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "region" } : {}),
        ...headers,
      },
    });
    const response = await mcp.answer(request, body, { principal: who, ending: new AbortController().signal });
    const text = await response.text();
    await mcp.close();
    return { status: response.status, text, calls: made.calls.length };
  }

  test("a call that agrees is carried out", async () => {
    expect(await ask({ "mcp-param-region": "eu" }, true)).toMatchObject({ status: 200, calls: 1 });
  });

  test.each([{}, { "mcp-param-region": "us" }])("%j is refused, and nothing is called", async (headers) => {
    const { status, text, calls } = await ask(headers as Record<string, string>, true);
    expect([status, calls]).toEqual([400, 0]);
    expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32020 } });
  });

  test("clients of older protocols know no such header", async () => {
    expect(await ask({}, false)).toMatchObject({ status: 200, calls: 1 });
  });
});
