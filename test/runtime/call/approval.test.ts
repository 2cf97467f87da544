/** Which calls wait for an approval: decided on the arguments that the op gets. */

import { expect, test } from "vitest";
import { approvalRulesOf, withConditions } from "../../../runtime/config/approval-settings.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import type { JsonObject } from "../../../runtime/contract/registry.js";
import { errorOf, fixture } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const priority = { type: "integer", minimum: 1, maximum: 5, default: 3, "x-aliases": ["prio"] };
const NOTE = toolOf({ op: "zeta.note.create", tool: "create_note", kind: "write", schema: closed({ priority }, []) });

test.each([
  ["as it is given", { priority: 3 }, true],
  ["below the bound", { priority: 2 }, false],
  ["a default", {}, true],
  ["under a name that is repaired", { prio: 4 }, true],
  ["under a name that is repaired, below the bound", { prio: 1 }, false],
])("a condition sees the argument %s", async (_, args, waits) => {
  const entries = [{ ops: ["zeta.note.create"], when: { priority: { minimum: 3 } } }];
  const approvals = await withConditions(approvalRulesOf(entries, String));
  const { exec, calls } = fixture({ more: [NOTE], settings: { approvals } });
  const envelope = await exec(NOTE.op, args);
  if (waits) expect(errorOf(envelope)).toMatchObject({ details: { reason: "needs_approval" } });
  else expect(envelope).toMatchObject({ ok: true });
  expect(calls.length).toBe(waits ? 0 : 1);
});

const id = { type: "number" };
const ITEM = toolOf({ op: "zeta.item.put", tool: "put_item", kind: "write", schema: closed({ id }, []) });

test.each([
  ["5.00000000000000000001", { not: { const: 5 } }, true],
  ["5.0", { not: { const: 5 } }, false],
  ["9007199254740993", { not: { const: 5 } }, true],
  ["9007199254740993", { exclusiveMinimum: 9007199254740991 }, true],
  ["-9007199254740993", { exclusiveMinimum: 9007199254740991 }, false],
  ["4.99999999999999999999", { exclusiveMaximum: 5 }, true],
  ["1e400", { type: "number", minimum: 100 }, true],
  ["12345678901234567890", { maximum: 100 }, false],
])("a condition on the number %s, %o: %s", async (text, when, waits) => {
  const approvals = await withConditions(approvalRulesOf([{ ops: ["zeta.item.put"], when: { id: when } }], String));
  const { exec } = fixture({ more: [ITEM], settings: { approvals } });
  const envelope = await exec(ITEM.op, readJson(`{"id":${text}}`) as JsonObject);
  const reason = envelope.ok ? undefined : envelope.error.details["reason"];
  expect(reason === "needs_approval").toBe(waits);
});
