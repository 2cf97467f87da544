/**
 * Capabilities in the name of an HTTP client, and answers without a pending question.
 *
 * @module-tag full
 */

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createHttpAsking, nameOfClient } from "../../../../runtime/serve/http/elicitation.js";

const asking = createHttpAsking();
/** What a client of this name is taken to be able to answer. */
const takenFor = (client: string | null): object | undefined =>
  asking.forwardOf({ principal: { id: "local" }, client })({} as Server, { mcpReq: {} } as ServerContext)?.capabilities;
const named = (capabilities: unknown): string =>
  nameOfClient({ method: "initialize", params: { protocolVersion: "2025-11-25", capabilities } });

test("the declared capabilities of a client hold for every later request", () => {
  const some = (...members: readonly string[]) =>
    fc.record(Object.fromEntries(members.map((name) => [name, fc.constant({})])), { requiredKeys: [] });
  const declared = fc.record(
    { elicitation: some("form", "url"), sampling: some("tools", "context"), roots: fc.constant({}) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(declared, (capabilities) => {
      const { elicitation, ...rest } = capabilities;
      const isBare = elicitation !== undefined && Object.keys(elicitation).length === 0;
      const meant = isBare ? { ...rest, elicitation: { form: {} } } : capabilities;
      expect(takenFor(named(capabilities))).toEqual(Object.keys(meant).length === 0 ? undefined : meant);
    }),
  );
});

test("two clients never have one name, and a name is short and printable", () => {
  const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };
  const names = Array.from({ length: 100 }, () => named(everything));
  expect(new Set(names).size).toBe(100);
  for (const name of names) expect(name).toMatch(/^[!-~]{1,50}$/);
});

test("a foreign client name or a broken initialize has no capabilities", () => {
  const foreign = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[0-9a-f-]{36}(\.[^fustcr]*)?$/),
    fc.stringMatching(/^.{0,9}\.[fr]$/),
  );
  fc.assert(fc.property(foreign, (name) => void expect(takenFor(name)).toBeUndefined()));
  expect(takenFor(null)).toBeUndefined();
  fc.assert(fc.property(fc.jsonValue(), (params) => void expect(takenFor(nameOfClient({ params }))).toBeUndefined()));
  for (const broken of [undefined, null, 7, [], { params: { capabilities: { sampling: true, roots: [] } } }])
    expect(takenFor(nameOfClient(broken))).toBeUndefined();
});

test("an answer without a pending question is refused, and other messages are ignored", async () => {
  const sender = { principal: { id: "local" }, client: named({ roots: {} }) };
  const answer = { jsonrpc: "2.0", id: "x", result: {} };
  for (const body of [answer, [answer, answer], { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }]) {
    const response = await asking.take(body, sender);
    expect(response?.status).toBe(400);
    expect(await response?.json()).toMatchObject({ error: { message: expect.stringMatching(/another instance/) } });
  }
  for (const body of [
    { ...answer, method: "ping" },
    { jsonrpc: "2.0", method: "x" },
    [answer, { method: "x" }],
    null,
    7,
  ])
    expect(asking.take(body, sender)).toBeUndefined();
  expect(asking.take(answer, { ...sender, client: null })).toBeUndefined();
});
