/** Trace ids are of one form, and none comes twice. */

import { expect, test } from "vitest";
import { newTraceId } from "../../../runtime/contract/ids.js";

test("trace ids differ, also where their random bytes are read anew", () => {
  const ids = Array.from({ length: 1000 }, newTraceId);
  expect(new Set(ids).size).toBe(1000);
  expect(ids.filter((id) => !/^tr_[0-9a-f]{16}$/.test(id))).toEqual([]);
});
