/** Encryption of stored connections. */

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSeal } from "../../../runtime/connections/sealing.js";

const key = (id: string) => ({ id, key: randomBytes(32) });
const PLACE = ["own", "alice", "github", "https://id.example.com"];

test("a text opens in its own row only", () => {
  const seal = createSeal([key("k1")]);
  const sealed = seal.close("the tokens", PLACE);
  expect(sealed.body).not.toContain("tokens");
  expect(seal.close("the tokens", PLACE).body).not.toBe(sealed.body);
  expect(seal.open(sealed, PLACE)).toBe("the tokens");
  for (const [i, other] of ["shared", "bob", "gitlab", "https://other.example.com"].entries())
    expect(seal.open(sealed, PLACE.with(i, other))).toBeUndefined();
});

test("a row that was changed, cut or written with an unknown key does not open", () => {
  const seal = createSeal([key("k1")]);
  const sealed = seal.close("the tokens", PLACE);
  const bytes = Buffer.from(sealed.body, "base64");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(seal.open({ ...sealed, body: changed.toString("base64") }, PLACE)).toBeUndefined();
  }
  for (const length of [0, 12, 27, bytes.length - 1])
    expect(seal.open({ ...sealed, body: bytes.subarray(0, length).toString("base64") }, PLACE)).toBeUndefined();
  expect(seal.open({ ...sealed, key_id: "k2" }, PLACE)).toBeUndefined();
  expect(createSeal([key("k1")]).open(sealed, PLACE)).toBeUndefined();
});

test("an earlier key still opens rows, which count as those of an earlier key", () => {
  const old = key("k1");
  const sealed = createSeal([old]).close("the tokens", PLACE);
  const seal = createSeal([key("k2"), old]);
  expect(seal.open(sealed, PLACE)).toBe("the tokens");
  expect(seal.isCurrent(sealed)).toBe(false);
  expect(seal.isCurrent(seal.close("the tokens", PLACE))).toBe(true);
});
