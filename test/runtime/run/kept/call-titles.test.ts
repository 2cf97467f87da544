/** What a program waits for is shown together, with titles of what its calls are about. */

import { expect, test } from "vitest";
import { callTitles } from "../../../../runtime/run/kept/call-titles.js";
import { configuredRoot, type Json, serve, toolwright } from "../../../support/project.js";
import { fixture, handler, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const SLOW = 120_000;

const PROGRAM = `import asyncio
p = onto.project.create(project={"name": "P", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
t = [onto.task.create(project_id=p, title=title)["task"]["id"] for title in ["Call Anna", "a\\n__ot b" + "c" * 150]]
await asyncio.gather(onto.task.delete(task_id=t[0]), onto.task.delete(task_id=t[1]))`;

test("calls that wait at once are named together, with bounded titles in one line", { timeout: SLOW }, async () => {
  const root = configuredRoot('approve: [{ ops: ["onto.task.delete"] }]');
  const served = await serve(root, ["--allow-write"]);
  const result = await served.client.callTool({ name: "run", arguments: { command: PROGRAM } }, { timeout: SLOW });
  const listed = await served.client.callTool({ name: "run", arguments: { command: "ot.runs()" } });
  await served.close();
  const [block] = result.content;
  const lines = (block?.type === "text" ? block.text : "").split("\n");
  expect(lines[0]).toMatch(/^Paused run_\w+: 2 calls wait for approval$/);
  expect(lines[1]).toMatch(/^4: onto\.task\.delete \{"task_id":"task_\w+"\} "Call Anna"$/);
  expect(lines[2]).toMatch(
    /^5: onto\.task\.delete \{"task_id":"task_\w+"\} "a\\u000a\[REDACTED:trigger\] bc{40,80}.?"$/,
  );
  const { waiting } = result.structuredContent as Json;
  expect(waiting.map(({ title }: Json) => title.slice(0, 9))[0]).toBe("Call Anna");
  expect(JSON.stringify(listed.content)).toContain("Call Anna");
  const id = /run_\w+/.exec(lines[0] ?? "")?.[0] ?? "";
  const shown = await toolwright(["runs", "show", id, "--root", root]);
  expect(shown.stdout).toMatch(/\n {2}4 waiting: onto\.task\.delete \{"task_id":"task_\w+"\} "Call Anna"\n/);
  expect(shown.stdout).toMatch(/\n {2}5 waiting: .*\} "a\\u000a\[REDACTED:trigger\] bc+.?"\n/);
  const { stdout } = await toolwright(["runs", "show", id, "--json", "--root", root]);
  expect(JSON.parse(stdout).run).toMatchObject({ approvals: [{ title: "Call Anna" }, {}] });
  expect(stdout).not.toContain('"record"');
});

const ID = { type: "string" };
const ofApi = (op: string, send: string, names: readonly string[]) =>
  toolOf({
    op,
    tool: op.replaceAll(".", "_"),
    kind: send.startsWith("GET ") ? "read" : "write",
    schema: closed(Object.fromEntries(names.map((name) => [name, ID])), names),
    extra: { request: { send } },
  });
const API = [
  ofApi("zeta.showNote", "GET /notes/{id}", ["id"]),
  ofApi("zeta.findBill", "GET /find", ["bill"]),
  ofApi("zeta.signNote", "POST /notes/{note}/sign", ["note"]),
  ofApi("zeta.cutLine", "DELETE /notes/{note}/lines/{line}", ["note", "line"]),
  ofApi("zeta.sendBill", "POST /bills/{bill}/send", ["bill"]),
];

test("calls of an API have the titles that GET of the address or the op of the configuration reads", async () => {
  const ops = new Map([["zeta.sendBill", { check: "zeta.findBill" }]]);
  const { gateway } = fixture({
    more: API,
    handlers: {
      "zeta.showNote": handler(async ({ id }) => ({ id, label: `Note ${id}` })),
      "zeta.findBill": handler(async ({ bill }) => ({ summary: `Bill ${bill}` })),
    },
  });
  const calls = [
    { op: "zeta.signNote", args: { note: "1" } },
    // The title of the note would be said of the line.
    { op: "zeta.cutLine", args: { note: "1", line: "2" } },
    { op: "zeta.sendBill", args: { bill: "3" } },
  ];
  const asked = calls.map((call, at) => ({ ...call, key: `run_1:${at + 1}` }));
  const titles = await callTitles(asked, gateway, principal(), ops);
  expect([...titles]).toEqual([
    ["1", "Note 1"],
    ["3", "Bill 3"],
  ]);
});
