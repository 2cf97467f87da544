/** Who decides about what their own key has asked for. */

import { expect, test } from "vitest";
import { fileStore } from "../../../runtime/access/key-file.js";
import type { Maker } from "../../../runtime/access/key-life.js";
import { rowStore } from "../../../runtime/access/key-rows.js";
import { type Keys, openKeys, type ShownKey } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import { consoleApprovals } from "../../../runtime/gateway/console-approvals.js";
import { DELETE, MINUTE, onBoth, SLOW } from "../run/kept/databases.js";
import { grant } from "./fixture.js";

const LIMIT = { timeout: SLOW };

onBoth((at) => {
  let made: readonly ShownKey[] = [];
  const approvals = (mayOwn?: boolean, keys: Pick<Keys, "list"> = { list: async () => made }) =>
    consoleApprovals({ state: async () => at.state, clock: () => at.now.at, keys, mayOwn });
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

  /** A key store, and whether keys of it decide about what one of them has asked for. */
  async function family() {
    const state = async () => at.state;
    const clock = () => at.now.at;
    const keys = openKeys({
      root: at.root,
      url: at.url,
      state,
      projectExists: async () => true,
      log: silentLog,
      clock,
    });
    const make = async (name: string, maker: Maker = "local") =>
      (await keys.create({ name, scope: "admin" }, maker)).record.key_id;
    const by = (keyId: string): Maker => ({ keyId });
    const mayDecide = async (asker: string, decider: string): Promise<boolean> => {
      const { id } = await at.paused(DELETE, {}, { ...grant("admin"), id: asker });
      const asked = approvals(false, keys).decide({ run: id, ...APPROVED }, { ...grant("admin"), id: decider });
      return asked.then(
        () => true,
        ({ code }) => code !== "PERMISSION_DENIED",
      );
    };
    return { keys, make, by, mayDecide };
  }

  test("no key decides for one of its family, be it of makers that have ended, or replaced", LIMIT, async () => {
    const { keys, make, by, mayDecide } = await family();
    const root = await make("root");
    const child = await make("child", by(root));
    const [one, two] = [await make("one", by(child)), await make("two", by(child))];
    const deeper = await make("deeper", by(two));
    const other = await make("root");
    await keys.revoke(child, { cascade: false });
    const replaced = (await keys.rotate(root, MINUTE)).record.key_id;
    at.now.at += 30 * 86_400_000;
    const newest = (await keys.rotate(replaced, MINUTE)).record.key_id;
    const own = [root, child, one, two, deeper, replaced, newest];
    for (const [asker, decider] of [
      [one, two],
      [one, deeper],
      [deeper, one],
      [root, deeper],
      [newest, one],
      [one, newest],
      [await make("late", by(newest)), one],
    ] as const)
      expect(await mayDecide(asker, decider), `${own.indexOf(asker)} ${own.indexOf(decider)}`).toBe(false);
    // Equal names of keys of the command line join nothing.
    for (const asker of [root, deeper, newest]) expect(await mayDecide(asker, other)).toBe(true);
    expect(await mayDecide(other, newest)).toBe(true);
    await keys.close();
  });

  test("a key that a call without a key has made does not decide for such calls", LIMIT, async () => {
    const { keys, make, mayDecide } = await family();
    const called = await make("called", "local call");
    expect(await mayDecide("local", called)).toBe(false);
    expect(await mayDecide("local", await make("of a person"))).toBe(true);
    await keys.close();
  });

  test("keys of an earlier version have the families of their makers", LIMIT, async () => {
    const { keys, make, by, mayDecide } = await family();
    const root = await make("older");
    const [one, two] = [await make("one", by(root)), await make("two", by(root))];
    const store = at.url === "" ? fileStore(at.root) : rowStore(async () => at.state);
    await store.change((records) => ({
      put: records.map(({ family: _, ...record }) => record),
      value: undefined,
    }));
    const three = await make("three", by(two));
    const replaced = (await keys.rotate(root, MINUTE)).record.key_id;
    for (const decider of [two, three, replaced]) expect(await mayDecide(one, decider)).toBe(false);
    expect(await mayDecide(one, await make("person"))).toBe(true);
    await keys.close();
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
