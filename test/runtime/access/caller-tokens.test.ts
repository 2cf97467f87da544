/** Tokens of callers follow copies of their principals, and are in nothing that shows these. */

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { callerToken, withCallerToken, withGrant } from "../../../runtime/access/caller-tokens.js";
import { userPrincipal } from "../../../runtime/access/principal.js";
import { grantFor, joinedGrants } from "../../../runtime/contract/grant.js";
import { fixture, handler } from "../gateway/fixture.js";

const TOKEN = "a-token-of-alice";
const READ = { level: "read", projects: "*" } as const;

test("the principal of a handler has the token of its caller, whichever grants match", () => {
  for (const parts of [[READ], [READ, { level: "write", projects: ["proj_a"] } as const]]) {
    const grant = joinedGrants(parts);
    if (!grant) throw new Error("no grant");
    const alice = withCallerToken(userPrincipal({ id: "alice", grant, until: Date.now() }), TOKEN, "https://id");
    const op = { op: "a.b", access: "read", target: "global" } as const;
    const inHandler = { ...withGrant(alice, grantFor(op, alice.grant)), through: ["tool"] };
    expect(callerToken(inHandler)).toMatchObject({ token: TOKEN, issuer: "https://id" });
    expect(callerToken({ ...alice, grant: { ...alice.grant } })).toBeUndefined();
    expect(JSON.stringify(inHandler) + inspect(inHandler, { depth: 9, showHidden: true })).not.toContain(TOKEN);
    expect(JSON.stringify(inHandler.grant)).toBe(JSON.stringify(grantFor(op, grant)));
  }
});

test("a handler's context leads to the token of a caller with several grants", async () => {
  const grant = joinedGrants([READ, { level: "write", projects: ["proj_a"] }]);
  if (!grant) throw new Error("no grant");
  const alice = withCallerToken(userPrincipal({ id: "alice", grant, until: Date.now() + 60_000 }), TOKEN, "https://id");
  const found: unknown[] = [];
  const { exec } = fixture({
    handlers: { "onto.task.list": handler(async (_, { principal }) => found.push(callerToken(principal)?.token)) },
  });
  await exec("onto.task.list", { project_id: "proj_a" }, {}, alice);
  expect(found).toEqual([TOKEN]);
});

test("another token of the same caller is another one", () => {
  const grant = { level: "read", projects: "*" } as const;
  const alice = userPrincipal({ id: "alice", grant, until: Date.now() });
  const [one, two] = [withCallerToken(alice, "one", "https://id"), withCallerToken(alice, "two", "https://id")];
  expect([callerToken(one)?.token, callerToken(two)?.token, callerToken(alice)]).toEqual(["one", "two", undefined]);
});
