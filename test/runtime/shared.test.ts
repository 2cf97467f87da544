import { expect, test } from "vitest";
import { createShared } from "../../runtime/shared.js";

test("what is asked for again under its key is the same, and is closed when nobody holds it", async () => {
  const closed: string[] = [];
  const shared = createShared();
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
