/** Which calls wait for an approval: decided on the arguments that the op gets. */

import { expect, test } from "vitest";
import { approvalRulesOf, withConditions } from "../../../runtime/config/approval-settings.js";
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
