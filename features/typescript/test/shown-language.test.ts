/** The pages of `ot` write code in the first language of programs. */

import { expect, test } from "vitest";
import { help, tools } from "../../../definitions/packs/ot.js";
import { fixture, principal } from "../../../test/runtime/gateway/fixture.js";
import { toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { runSettings } from "../../../test/support/run/languages.js";

const shipped = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
const anyOf = (...names: readonly string[]) =>
  ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) }) as never;

function gatewayIn(...languages: ("python" | "typescript")[]) {
  const { gateway } = fixture({
    more: [
      toolOf({ op: "ot.help", tool: "ot_help", kind: "read", schema: anyOf("query", "info"), extra: shipped }),
      toolOf({ op: "ot.tools", tool: "ot_tools", kind: "read", schema: anyOf("pattern", "info"), extra: shipped }),
    ],
    handlers: { "ot.help": { run: help } as never, "ot.tools": { run: tools } as never },
    settings: { run: runSettings({ run: { languages } } as never) },
  });
  return async (op: string, args: object) => {
    const envelope = await gateway.dispatch({ op, args } as never, principal());
    if (!envelope.ok) throw new Error(JSON.stringify(envelope.error));
    return envelope.result;
  };
}

test("a project of TypeScript alone reads no Python in them", async () => {
  const call = gatewayIn("typescript");
  expect(await call("ot.help", { query: "" })).toContain('- await ot.help({ query: "ot.result" })');
  expect(await call("ot.help", { query: "" })).not.toMatch(/\w+\(\w+=/);
  const page = await call("ot.help", { query: "onto.task.delete", info: "full" });
  expect(page).toMatch(/## Example\nawait onto\.task\.delete\(\{ task_id: ".*" \}\)/);
  expect(await call("ot.tools", { pattern: "onto.task.delete", info: "full" })).toMatchObject([
    { example: expect.stringMatching(/^await onto\.task\.delete\(\{/) },
  ]);
});

test("one whose first language is Python reads Python", async () => {
  const call = gatewayIn("python", "typescript");
  expect(await call("ot.help", { query: "" })).toContain('- ot.help(query="ot.result")');
  expect(await call("ot.help", { query: "onto.task.delete", info: "full" })).toMatch(
    /## Example\nonto\.task\.delete\(task_id="/,
  );
});
