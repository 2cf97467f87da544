/** Notes beside the value of a run: repaired arguments, and pages that were taken for all there is. */

import { describe, expect, test } from "vitest";
import { MODERN, raw, serveHttp } from "../../support/http.js";
import { freshRoot, type Json, serve } from "../../support/project.js";
import { DESK_DEMO, runDemo, SLOW } from "../../support/run/run-demo.js";

const { notes, server, root } = runDemo(DESK_DEMO);

const CUT = "Note: desk.list answered 20 of 34; pass offset=20 or limit=50.";

describe("pages", () => {
  test.each([
    ['len(desk.list()["items"])', CUT],
    ['len(desk.list()["items"] + desk.list(offset=20)["items"])', undefined],
    ['import asyncio\na, b = await asyncio.gather(desk.list(), desk.list(offset=20))\nlen(a["items"])', undefined],
    ["len(desk.list(limit=50)['items'])", undefined],
    ["desk.list(offset=20)['pagination']", undefined],
    ["for i in range(3): desk.list()\n1", CUT],
    [
      "desk.list(limit=10), desk.list(limit=10, offset=10)\n1",
      "Note: desk.list answered 20 of 34; pass offset=20 or limit=50.",
    ],
    ["len(desk.pages()['data'])", "Note: desk.pages answered 20, and there are more; pass cursor=its next_cursor."],
    ["a = desk.pages()\nlen(desk.pages(cursor=a['next_cursor'])['data'])", undefined],
    ["len(desk.names())", "Note: desk.names answered 30, the size of a page: more may exist; pass page=2."],
    ["len(desk.names() + desk.names(page=2))", undefined],
    ["len(desk.names(per_page=100))", undefined],
  ])(
    "that were not read are noted, and no others: %s",
    async (code, expected) => expect(await notes(code)).toBe(expected),
    SLOW,
  );

  test(
    "a failed run has no notes",
    async () => {
      const { content } = await server().client.callTool({ name: "run", arguments: { command: "desk.list()\n1/0" } });
      expect(content).toHaveLength(1);
    },
    SLOW,
  );
});

test(
  "a repaired enum: one note in run, and a warning in tool_exec",
  async () => {
    const read = 'state "in progress" was read as in_progress';
    const code =
      "[desk.list(state=s, limit=50)['pagination']['total'] for s in ['in progress', 'in progress', 'todo']]";
    expect(await notes(code)).toBe(`Note: desk.list: ${read} (2 times).`);
    const { value } = await server().call<Json>("tool_exec", { op: "desk.list", args: { state: "in progress" } });
    expect(value.meta.warnings).toEqual([`enum_alias: ${read}`]);
  },
  SLOW,
);

test.each([
  ["desk.names(perPage=100)\n1", "Note: desk.names: perPage was read as per_page."],
  ["desk.names(per=100)\n1", undefined],
  ["desk.names(per_page=100)\n1", undefined],
])(
  "another name of an argument has a note, a shortened one has none: %s",
  async (code, expected) => {
    expect(await notes(code)).toBe(expected);
  },
  SLOW,
);

test(
  "code under another name has a note",
  async () => {
    const call = async (args: Json) => {
      const { content } = await server().client.callTool({ name: "run", arguments: args });
      return content.map((one) => (one.type === "text" ? one.text : ""));
    };
    expect(await call({ code: "1+1" })).toEqual(["2", "Note: code was read as command."]);
    expect(await call({ script: 'len(desk.list()["items"])' })).toEqual([
      "20",
      `Note: script was read as command.\n${CUT}`,
    ]);
    expect(await call({ code: "1/0" })).toHaveLength(1);
    expect(await call({ command: "1+1" })).toEqual(["2"]);
  },
  SLOW,
);

test(
  "an optional argument that is None is as usual as one that is left out",
  async () => {
    expect(await notes("p = desk.pages(cursor=None)\ndesk.pages(cursor=p['next_cursor'])\n1")).toBe(undefined);
    const { value } = await server().call<Json>("tool_exec", { op: "desk.pages", args: { cursor: null } });
    expect(value.meta.warnings).toEqual(["null_dropped: cursor is null, which it does not take; read as left out"]);
  },
  SLOW,
);

test(
  "at most five notes and 600 bytes",
  async () => {
    const code = "for i in range(9): desk.list(limit=2 + i, state='todo') if i % 2 else desk.list(limit=2 + i)\n1";
    const many =
      "x = ['in progress', 'In progress', 'in-progress', 'IN PROGRESS', 'In Progress', 'Done', 'Todo', 'TODO']";
    expect((await notes(code))?.split("\n")).toHaveLength(2);
    const text = (await notes(`${many}\nfor s in x: desk.list(state=s, limit=50)\n1`)) ?? "";
    expect(text.split("\n")).toHaveLength(5);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(600);
  },
  SLOW,
);

test.each([
  ["without a version", {}],
  [MODERN, { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "run" }],
])(
  "over HTTP, %s",
  async (version, headers) => {
    const { url } = await serveHttp(root());
    const meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name: "run", arguments: { command: 'len(desk.list()["items"])' } };
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { ...params, ...(version === MODERN ? { _meta: meta } : {}) },
    };
    const { text } = await raw(url, { headers, body });
    const [, json = "{}"] = /(?:^|\n)(?:data: )?(\{.*\})/.exec(text) ?? [];
    expect(JSON.parse(json).result?.content, text).toEqual(["20", CUT].map((one) => ({ type: "text", text: one })));
  },
  SLOW,
);

test(
  "the example project: a page of its tasks, and an enum that is read as another spelling",
  async () => {
    const served = await serve(freshRoot(), ["--allow-write"]);
    const program = `p = onto.project.create(project={"name": "P", "type_key": "project.business.launch"}, entities=[], relationships=[])
for i in range(34): onto.task.create(project_id=p["project"]["id"], title=f"T{i}", state_key="In progress")
len(onto.task.list()["items"])`;
    const { content } = await served.client.callTool({ name: "run", arguments: { command: program } });
    await served.close();
    expect(content.map((one) => (one.type === "text" ? one.text : ""))).toEqual([
      "20",
      'Note: onto.task.create: state_key "In progress" was read as in_progress (34 times).\nNote: onto.task.list answered 20 of 34; pass offset=20 or limit=50.',
    ]);
  },
  SLOW,
);
