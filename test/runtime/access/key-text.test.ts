/** The text of keys and scopes: which are valid. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  hasDigest,
  looksLikeKey,
  NO_DIGEST,
  newKey,
  parseKey,
  secretDigest,
} from "../../../runtime/access/key-text.js";
import { checkScope, parseScope, SCOPES } from "../../../runtime/access/scope.js";
import { scrub } from "../../../runtime/contract/scrub.js";
import { runs } from "../../support/random.js";

const letters = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const ID = letters("abcdefghijklmnopqrstuvwxyz234567", 10);
const SECRET = letters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 43);

test("a new key has the form, and no two are alike", () => {
  const made = Array.from({ length: 500 }, newKey);
  for (const { text, keyId, secret } of made) {
    expect(text).toMatch(/^oub_[a-z2-7]{10}_[A-Za-z0-9_-]{43}$/);
    expect(text).toHaveLength(58);
    expect(parseKey(text)).toEqual({ keyId, secret });
  }
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(500);
  // Every letter of the alphabet occurs among 5000.
  expect(new Set(made.flatMap(({ keyId }) => [...keyId])).size).toBe(32);
});

test("parts are found by position, wherever the secret has an underscore", () => {
  fc.assert(
    fc.property(ID, SECRET, (keyId, secret) => {
      expect(parseKey(`oub_${keyId}_${secret}`)).toEqual({ keyId, secret });
    }),
    runs(1000),
  );
});

test("any other text is no key, and what is parsed writes the same text again", () => {
  const near = fc
    .tuple(ID, SECRET, fc.nat(57), fc.string({ minLength: 0, maxLength: 2 }))
    .map(([id, secret, at, text]) => `oub_${id}_${secret}`.slice(0, at) + text + `oub_${id}_${secret}`.slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" }), near), (text) => {
      const parsed = parseKey(text);
      if (parsed) expect(`oub_${parsed.keyId}_${parsed.secret}`).toBe(text);
      else expect(/^oub_[a-z2-7]{10}_[A-Za-z0-9_-]{43}$(?!\n)/.test(text) && text.length === 58).toBe(false);
    }),
    runs(3000),
  );
});

test("a secret has its own digest only, and nothing has the one that stands in for unknown keys", () => {
  fc.assert(
    fc.property(SECRET, SECRET, (one, other) => {
      expect(hasDigest(one, secretDigest(one))).toBe(true);
      expect(hasDigest(one, secretDigest(other))).toBe(one === other);
      expect(hasDigest(one, NO_DIGEST)).toBe(false);
    }),
    runs(300),
  );
});

test("the scrubber removes the secret of a key inside any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: "binary" }), (before, after) => {
      const { text, secret } = newKey();
      for (const told of [before + text + after, JSON.stringify({ [before]: `${before}\n${text}\n${after}` })]) {
        expect(looksLikeKey(text)).toBe(true);
        expect(scrub(told)).not.toContain(secret);
      }
    }),
    runs(1000),
  );
});

test.each([
  ["admin", "admin", "*"],
  ["write", "write", "*"],
  ["read", "read", "*"],
  ["admin:ro", "read", "*"],
  ["project:prj_abcdefgh234567aa", "write", ["prj_abcdefgh234567aa"]],
  ["project:prj_abcdefgh234567aa:ro", "read", ["prj_abcdefgh234567aa"]],
  ["project:proj_0123abc", "write", ["proj_0123abc"]],
  ["project:proj_0123abc:ro", "read", ["proj_0123abc"]],
])("the scope %s", (scope, level, projects) => {
  expect(parseScope(scope)).toEqual({ kind: "grant", grant: { level, projects } });
});

test.each([
  ..."Admin, admin ,write:ro,read:ro,root,*,admin:rw,project,project:,project::ro,project:*,project:p1,__proto__".split(
    ",",
  ),
  ...["project:prj_ABCDEFGH234567aa", "project:prj_abc", "project:proj_", "project:proj_a:rw", "project:proj_a:ro:ro"],
  ...["project:proj_a/../b", "project:proj_a,proj_b", "admin\n", "project:proj_a\n", "", ...SCOPES.slice(4)],
])("no scope: %j", (text) => {
  expect(parseScope(text)).toMatchObject({ kind: "fault" });
});

test("a scope of a project that does not exist is refused, and the others are not looked up", async () => {
  const asked: string[] = [];
  const exists = async (id: string) => {
    asked.push(id);
    return id === "proj_a";
  };
  expect(await checkScope("project:proj_a:ro", exists)).toMatchObject({ kind: "grant" });
  expect(await checkScope("project:proj_b", exists)).toEqual({ kind: "fault", message: "there is no project proj_b" });
  for (const text of ["admin", "root", "project:p"]) await checkScope(text, exists);
  expect(asked).toEqual(["proj_a", "proj_b"]);
});
