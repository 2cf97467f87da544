/** Names of people in the claims of ID tokens. */

import { describe, expect, test } from "vitest";
import { personName } from "../user-names.js";

describe("the name of a person", () => {
  const all = { sub: "s-1", email: "alice@example.com", preferred_username: "alice", name: "Alice Liddell" };

  test.each([
    ["the name", all, "Alice Liddell"],
    ["else the user name", { ...all, name: undefined }, "alice"],
    [
      "else the address, where the others are no texts",
      { ...all, name: " ", preferred_username: 7 },
      "alice@example.com",
    ],
    ["else the subject", { sub: "s-1" }, "s-1"],
    ["a text around which there are spaces", { name: "  Alice " }, "Alice"],
  ])("is read from the claims: %s", (_, claims, name) => {
    expect(personName(claims)).toBe(name);
  });

  test("claims without a text have none, nor what every object has", () => {
    expect(personName({ sub: 7 })).toBeUndefined();
    expect(personName(Object.create({ name: "inherited" }))).toBeUndefined();
  });

  test("what nobody sees, or what turns the writing, is escaped; a long name is cut", () => {
    expect(personName({ name: "Bob\u202e\nadmin\u200b" })).toBe("Bob\\u202e\\u000aadmin\\u200b");
    expect(personName({ name: "x".repeat(1000) })?.length).toBeLessThanOrEqual(81);
  });
});
