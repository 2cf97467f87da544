/** The resource pool: equal keys share a resource until its last lease ends. */

import { expect, test } from "vitest";
import { createResourcePool } from "../../../runtime/contract/resource-pool.js";

test("a second lease of a key gets the same resource, which is closed with its last lease", async () => {
  const closed: string[] = [];
  const shared = createResourcePool();
  const make = (name: string) => () => ({ value: { name }, close: async () => void closed.push(name) });
  const first = shared.hold();
  const a = first.take("a", make("a"));
  first.take("b", make("b"));
  const second = shared.hold();
  expect(second.take("a", make("another a"))).toBe(a);
  second.take("c", make("c"));
  await first.release();
  expect(closed).toEqual(["b"]);
  await first.release();
  expect(closed).toEqual(["b"]);
  await second.release();
  expect(closed).toEqual(["b", "c", "a"]);
  expect(shared.hold().take("a", make("new"))).toEqual({ name: "new" });
});
