/** Who decides about what their own key has asked for. */

import { expect, test } from "vitest";
import type { ShownKey } from "../../../runtime/access/keys.js";
import { consoleApprovals } from "../../../runtime/gateway/console-approvals.js";
import { DELETE, onBoth, SLOW } from "../run/kept/databases.js";
import { grant } from "./fixture.js";

const LIMIT = { timeout: SLOW };

onBoth((at) => {
  let made: readonly ShownKey[] = [];
  const approvals = (mayOwn?: boolean) =>
    consoleApprovals({ state: async () => at.state, clock: () => at.now.at, keys: { list: async () => made }, mayOwn });
  const APPROVED = { call: "1", decision: "approved", reason: "", result: null } as const;

  test("a key does not decide about its own calls", LIMIT, async () => {
    const { id } = await at.paused(DELETE, {}, grant("admin"));
    const decision = { run: id, ...APPROVED };
    await expect(approvals().decide(decision, grant("admin"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await at.statusOf(id)).toBe("paused");
  });

  test("nor does a key that it made, or that has replaced it; one of somebody else does", LIMIT, async () => {
    const key = (key_id: string, created_by: string, name: string) => ({ key_id, created_by, name }) as ShownKey;
    made = [
      key("agent", "local", "agent"),
      key("child", "agent", "kid"),
      key("grandchild", "child", "kid"),
      key("newer", "local", "agent"),
      key("child of newer", "newer", "x"),
      key("other", "local", "person"),
    ];
    const { id } = await at.paused(DELETE, {}, { ...grant("admin"), id: "agent" });
    const decision = { run: id, ...APPROVED };
    for (const one of ["agent", "child", "grandchild", "newer", "child of newer"])
      await expect(approvals().decide(decision, { ...grant("admin"), id: one })).rejects.toMatchObject({
        code: "PERMISSION_DENIED",
      });
    await approvals().decide(decision, { ...grant("admin"), id: "other" });
    expect(await approvals().waiting(grant("admin"))).toEqual([]);
    made = [];
  });

  test("with approvals.own, an admin does; others do not, nor where the rule has no console", LIMIT, async () => {
    const { id } = await at.paused(DELETE, {}, grant("admin"));
    const decision = { run: id, ...APPROVED };
    await expect(approvals(true).decide(decision, grant("write"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect((await approvals(true).waiting(grant("admin")))[0]).not.toHaveProperty("barred");
    await approvals(true).decide(decision, grant("admin"));
    expect(await approvals(true).waiting(grant("admin"))).toEqual([]);
    const other = await at.paused(DELETE, { approve: [{ ops: ["onto.*.delete"], by: ["cli"] }] }, grant("admin"));
    const cli = approvals(true).decide({ run: other.id, ...APPROVED }, grant("admin"));
    await expect(cli).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });
});
