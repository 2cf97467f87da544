/** Principals: who may see and change what concerns all callers, and who may write. */

import { describe, expect, test } from "vitest";
import {
  keyPrincipal,
  LOCAL_ID,
  mayAdminister,
  namedPrincipal,
  userPrincipal,
} from "../../../runtime/access/principal.js";
import { joinedGrants } from "../../../runtime/contract/grant.js";
import type { Grant, GrantPart, Principal } from "../../../runtime/contract/handler.js";

const part = (level: Grant["level"], bounds: Partial<GrantPart> = {}): GrantPart => ({
  level,
  projects: "*",
  ...bounds,
});
const [READ, WRITE, ADMIN] = [part("read"), part("write"), part("admin")];

/** Makes a principal of each kind with a grant. */
const KINDS = {
  key: (grant) => keyPrincipal({ keyId: "abcdefghij", grant }),
  user: (grant) => userPrincipal({ id: "alice", grant, until: Number.POSITIVE_INFINITY }),
  named: (grant) => namedPrincipal({ id: "anna", grant }),
} as const satisfies Readonly<Record<string, (grant: Grant) => Principal>>;

describe.each(Object.entries(KINDS))("a principal of the kind %s", (_, make) => {
  test.each<[string, readonly GrantPart[], { readonly administers: boolean; readonly writes: boolean }]>([
    ["read", [READ], { administers: false, writes: false }],
    ["write", [WRITE], { administers: false, writes: true }],
    ["admin", [ADMIN], { administers: true, writes: true }],
    ["read, and admin", [READ, ADMIN], { administers: true, writes: true }],
    ["admin of some ops, and admin", [part("admin", { ops: ["*.get"] }), ADMIN], { administers: true, writes: true }],
    ["read, and admin of a project", [READ, part("admin", { projects: ["a"] })], { administers: false, writes: true }],
    ["admin of a project", [part("admin", { projects: ["a"] })], { administers: false, writes: true }],
    ["admin of packs", [part("admin", { packs: ["onto"] })], { administers: false, writes: true }],
    ["admin of ops", [part("admin", { ops: ["*.list"] })], { administers: false, writes: true }],
    ["read, and write of a project", [READ, part("write", { projects: ["a"] })], { administers: false, writes: true }],
  ])("writes and administers as its grant says: %s", (_title, parts, expected) => {
    const principal = make(joinedGrants(parts) as Grant);
    expect({ administers: mayAdminister(principal), writes: principal.allowWrite }).toEqual(expected);
  });
});

test("the owner of the machine administers with any grant", () => {
  const owner = { kind: "local", id: LOCAL_ID, grant: READ, allowWrite: false } as const;
  expect(mayAdminister(owner)).toBe(true);
});
