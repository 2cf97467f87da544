/** Keys made by keys: after any sequence of making and revoking, no key outranks or outlives its maker. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { makeKey, revokeKey } from "../../../runtime/access/key-life.js";
import { endOf, type KeyEdit, type KeyRecord, stateOf } from "../../../runtime/access/key-store.js";
import { parseScope } from "../../../runtime/access/scope.js";
import { allowed } from "../../../runtime/contract/grant.js";
import { isToolFailure } from "../../../runtime/contract/handler.js";
import { runs } from "../../support/random.js";

const STEP = fc.record({
  does: fc.constantFrom(...Array<"make">(8).fill("make"), "revoke" as const, "wait" as const),
  /** Index of the key that acts or is acted on; the owner of the store if no key has this index. */
  by: fc.nat(5),
  scope: fc.constantFrom("admin", "admin", "write", "read", "project:proj_a", "project:proj_a:ro", "project:proj_b"),
  lifeMs: fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer({ min: 1, max: 100 })),
});
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** The store after these steps, and the time. */
function after(steps: readonly Step[]): { readonly records: ReadonlyMap<string, KeyRecord>; readonly now: number } {
  const records = new Map<string, KeyRecord>();
  let now = Date.parse("2026-11-22T12:00:00.000Z");
  const all = (): readonly KeyRecord[] => [...records.values()];
  const keep = ({ put }: KeyEdit<unknown>): void => {
    for (const one of put) records.set(one.key_id, one);
  };
  const make = (wanted: { name: string; scope: string; lifeMs?: number | null }, by: KeyRecord | undefined): void => {
    const maker = by ? { keyId: by.key_id, grant: by.grant, expiresAt: undefined } : ("local" as const);
    try {
      keep(makeKey(all(), { wanted, scope: parseScope(wanted.scope), maker, now }));
    } catch (error) {
      expect(isToolFailure(error)).toBe(true);
    }
  };
  for (const { does, by, scope, lifeMs } of steps) {
    const key = all()[by];
    if (does === "wait") now += by;
    else if (does === "make") make({ name: "n", scope, ...(lifeMs === undefined ? {} : { lifeMs }) }, key);
    else if (key) keep(revokeKey(all(), { keyId: key.key_id, now }));
  }
  return { records, now };
}

const TARGETS = (["read", "write", "admin"] as const).flatMap((access) =>
  (["global", "project"] as const).flatMap((target) =>
    ["proj_a", "proj_b"].map((project) => ({ op: "onto.task.get", access, target, project })),
  ),
);

test("no live key has a maker that is not live, or that may do less, or ends before it", () => {
  let looked = 0;
  fc.assert(
    fc.property(fc.array(STEP, { minLength: 10, maxLength: 40 }), (steps) => {
      const { records, now } = after(steps);
      for (const one of records.values()) {
        const maker = records.get(one.created_by);
        if (!maker || stateOf(one, now) !== "live") continue;
        looked++;
        expect(stateOf(maker, now)).toBe("live");
        expect(endOf(maker)).toBeGreaterThanOrEqual(endOf(one));
        for (const { project, ...target } of TARGETS)
          if (allowed(target, one.grant, project)) expect(allowed(target, maker.grant, project)).toBe(true);
      }
    }),
    runs(5000),
  );
  expect(looked).toBeGreaterThan(100);
});

test("a key that a key makes waits for the approvals that its maker waits for", () => {
  const now = Date.now();
  const make = (
    records: readonly KeyRecord[],
    maker: "local" | { readonly keyId: string },
    approve?: readonly string[],
  ) =>
    makeKey(records, {
      wanted: { name: "a", scope: "admin", ...(approve ? { approve } : {}) },
      scope: parseScope("admin"),
      maker,
      now,
    }).value.record;
  const first = make([], "local", ["billing.*"]);
  const maker = { keyId: first.key_id };
  expect(make([first], maker).grant.approve).toEqual(["billing.*"]);
  expect(make([first], maker, ["mail.send"]).grant.approve).toEqual(["billing.*", "mail.send"]);
  expect(make([first], "local").grant.approve).toBeUndefined();
});
