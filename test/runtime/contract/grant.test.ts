/**
 * The grant predicate for every grant and op, and ways that must not get around it: dry runs, replays, cached help,
 * code.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditEntry } from "../../../runtime/access/access-log.js";
import { KeysUnreadable } from "../../../runtime/access/key-store.js";
import type { Keys } from "../../../runtime/access/keys.js";
import { parseScope } from "../../../runtime/access/scope.js";
import type { Grant, Principal } from "../../../runtime/codegen.js";
import {
  allowed,
  covers,
  grantFor,
  isUnboundGrant,
  isVisible,
  joinedGrants,
  overallGrant,
} from "../../../runtime/contract/grant.js";
import type { GrantPart } from "../../../runtime/contract/handler.js";
import { type Fixture, fixture, principal } from "../gateway/fixture.js";

const LEVELS = ["read", "write", "admin"] as const;
const TARGETS = ["global", "project"] as const;
const OP = "onto.task.get";
const ONE = "proj_one";
const grantOf = (scope: string): Grant => {
  const parsed = parseScope(scope);
  if (parsed.kind === "fault") throw new Error(parsed.message);
  return parsed.grant;
};
const SCOPES = ["admin", "write", "read", "admin:ro", `project:${ONE}`, `project:${ONE}:ro`];
const keyOf = (scope: string, id = "abcdefghij"): Principal =>
  principal({ kind: "key", id, grant: grantOf(scope), allowWrite: grantOf(scope).level !== "read" });

describe("the predicate", () => {
  test.each(SCOPES)("%s: an op is visible exactly where some project is allowed", (scope) => {
    const grant = grantOf(scope);
    for (const access of LEVELS)
      for (const target of TARGETS) {
        const some = [undefined, ONE, "proj_two"].some((project) =>
          allowed({ op: OP, access, target }, grant, project),
        );
        expect(isVisible({ op: OP, access, target }, grant), `${access} ${target}`).toBe(some);
      }
  });

  test("a project key gets at its own project alone, and at global reads", () => {
    const [write, read] = [grantOf(`project:${ONE}`), grantOf(`project:${ONE}:ro`)];
    const row = (grant: Grant) =>
      LEVELS.map((access) => [
        allowed({ op: OP, access, target: "global" }, grant),
        allowed({ op: OP, access, target: "project" }, grant, ONE),
        allowed({ op: OP, access, target: "project" }, grant, "proj_two"),
        allowed({ op: OP, access, target: "project" }, grant),
      ]);
    expect(row(write)).toEqual([
      [true, true, false, false],
      [false, true, false, false],
      [false, false, false, false],
    ]);
    expect(row(read)).toEqual([
      [true, true, false, false],
      [false, false, false, false],
      [false, false, false, false],
    ]);
  });

  test("more of a grant never allows less", () => {
    const level = fc.constantFrom(...LEVELS);
    const property = fc.property(level, level, fc.constantFrom(...TARGETS), level, (access, low, target, high) => {
      const [less, more] = LEVELS.indexOf(low) <= LEVELS.indexOf(high) ? [low, high] : [high, low];
      for (const project of [undefined, ONE])
        if (allowed({ op: OP, access, target }, { level: less, projects: [ONE] }, project))
          for (const projects of ["*", [ONE, "proj_two"]] as const)
            expect(allowed({ op: OP, access, target }, { level: more, projects }, project)).toBe(true);
    });
    fc.assert(property, { seed: 8, numRuns: 300 });
  });
});

describe("packs and ops", () => {
  const get = (op: string, access: "read" | "write" = "read") => ({ op, access, target: "project" as const });
  const BOUND: Grant = { level: "write", projects: "*", packs: ["onto", "git*"], ops: ["*.list", "*.get"] };

  test.each([
    ["onto.task.list", true],
    ["github.issue.get", true],
    ["github.issue.close", false],
    ["web.page.get", false],
    ["ontology.task.get", false],
  ])("%s: an op must match a pattern of packs and one of ops", (op, isSeen) => {
    expect(isVisible(get(op), BOUND)).toBe(isSeen);
    expect(allowed(get(op), BOUND, ONE)).toBe(isSeen);
  });

  test("parts of a grant are not mixed: the level of one holds for its own projects and packs alone", () => {
    const grant = joinedGrants([
      { level: "write", projects: [ONE], packs: ["onto"] },
      { level: "read", projects: ["proj_two"] },
    ]);
    if (!grant) throw new Error("no grant");
    expect(allowed(get("onto.task.set", "write"), grant, ONE)).toBe(true);
    expect(allowed(get("onto.task.set", "write"), grant, "proj_two")).toBe(false);
    expect(isVisible(get("web.page.set", "write"), grant)).toBe(false);
    expect(grant).toMatchObject({ level: "read", projects: [] });
    expect(grantFor(get("onto.task.get"), grant)).toMatchObject({ level: "write", projects: [ONE, "proj_two"] });
    expect(grantFor(get("onto.task.set", "write"), grant)).toMatchObject({ level: "write", projects: [ONE] });
    expect(grantFor(get("web.page.get"), grant)).toMatchObject({ level: "read", projects: ["proj_two"] });
    expect(isUnboundGrant(grant)).toBe(false);
  });

  test("a grant that covers another one permits all that it permits", () => {
    const patterns = fc.option(
      fc.array(
        fc.constantFrom("*", "onto", "git*", "g*t", "onto.*", "*.list", "git*.list", "onto.task.*", "github.a.list"),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
      { nil: undefined },
    );
    const part = fc.record({ level: fc.constantFrom(...LEVELS), packs: patterns, ops: patterns }).map(
      ({ level, packs, ops }): Grant => ({
        level,
        projects: "*",
        ...(packs ? { packs } : {}),
        ...(ops ? { ops } : {}),
      }),
    );
    const names = [
      "onto.task.list",
      "onto.x",
      "git.list",
      "github.a.list",
      "github.b",
      "gt.list",
      "gat.x.list",
      "ga.t.list",
    ];
    let covered = 0;
    const property = fc.property(part, part, (grant, other) => {
      if (!covers(grant, other)) return;
      covered++;
      for (const op of names)
        for (const access of LEVELS)
          if (isVisible({ op, access, target: "global" }, other))
            expect(isVisible({ op, access, target: "global" }, grant), op).toBe(true);
    });
    fc.assert(property, { seed: 3, numRuns: 3000 });
    expect(covered).toBeGreaterThan(100);
  });
});

/** An answer without what no two have in common. */
const plain = (answer: unknown): string =>
  JSON.stringify(answer)
    .replaceAll(/tr_[0-9a-f]{16}/g, "")
    .replaceAll(/"latency_ms":\d+/g, "");

/** A store of keys of which tests say what is live. */
function keyStore(live: () => boolean | Promise<boolean>) {
  const audited: AuditEntry[] = [];
  const dying = new AbortController();
  const keys = {
    still: async (keyId: string) =>
      (await live()) ? { keyId, grant: grantOf("read"), expiresAt: undefined } : undefined,
    watch: () => ({ signal: dying.signal, release: () => undefined }),
    audit: (entry: AuditEntry) => void audited.push(entry),
  } as unknown as Keys;
  return { keys, audited, die: () => dying.abort() };
}

const LIST = "admin.keys.list";
const ask = async ({ gateway, exec }: Fixture, op: string, who: Principal) => [
  await exec(op, {}, {}, who),
  await exec(op, {}, { dry_run: true }, who),
  await exec(op, {}, { idempotency_key: "k" }, who),
  gateway.help({ path: op }, who),
  await gateway.batch({ ops: [{ op }, { path: op }, { op: "onto.task.list" }] }, who),
];

describe("what must not get around it", () => {
  test("help that an admin key has read, and its calls, give nothing to another key", async () => {
    const [shared, fresh] = [fixture(), fixture()];
    for (const op of [LIST, "onto.task.create"]) {
      await ask(shared, op, keyOf("admin"));
      const read = keyOf("read", "bbbbbbbbbb");
      expect(plain(await ask(shared, op, read))).toBe(plain(await ask(fresh, op, read)));
    }
  });

  test("E13: an op that is hidden and one that is not there are one answer through exec and batch, and no handler runs", async () => {
    const made = fixture();
    const write = keyOf("write");
    const answer = async (op: string) => plain(await ask(made, op, write)).replaceAll(op, "<op>");
    expect(await answer(LIST)).toBe(await answer("admin.knys.list"));
    expect(made.calls.filter(({ op }) => op === LIST)).toEqual([]);
    const { error } = (await made.exec(LIST, {}, {}, write)) as { error: { code: string; help_path: string } };
    expect(error).toMatchObject({ code: "NOT_FOUND", help_path: "root" });
  });

  test("E14: a batch of a read and an admin op gives one result each", async () => {
    const answer = await fixture().gateway.batch({ ops: [{ op: "onto.task.list" }, { op: LIST }] }, keyOf("read"));
    expect(answer).toMatchObject({ results: [{ ok: true }, { ok: false, error: { code: "NOT_FOUND" } }] });
  });

  test("a key that is not live learns nothing about the op, and no handler runs", async () => {
    const { keys } = keyStore(() => false);
    const made = fixture({ options: { keys } });
    const who = keyOf("admin");
    const answers = await Promise.all(
      [LIST, "onto.task.create", "no.such.op"].map(async (op) =>
        plain([
          await made.exec(op, { x: 1 }, {}, who),
          await made.gateway.batch({ ops: [{ op }, { path: op }] }, who),
        ]).replaceAll(op, "<op>"),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("invalid or expired API key");
    expect((await made.gateway.run({ command: "1 + 1" }, who)).text).toContain(
      "UNAUTHENTICATED: invalid or expired API key",
    );
    expect(made.calls).toEqual([]);
  });

  test("keys that cannot be read are UNAVAILABLE, which is no revocation", async () => {
    const { keys } = keyStore(() => Promise.reject(new KeysUnreadable("gone", "put it back")));
    const answer = await fixture({ options: { keys } }).exec("onto.task.list", {}, {}, keyOf("read"));
    expect(answer).toMatchObject({ ok: false, error: { code: "UNAVAILABLE", help_path: "root" } });
  });

  test("a key that dies ends its call, and the answer is about the key only", async () => {
    const store = keyStore(() => true);
    const hang = () => new Promise<never>(() => {});
    const made = fixture({ handlers: { "onto.task.list": hang }, options: { keys: store.keys } });
    const call = made.exec("onto.task.list", {}, {}, keyOf("read"));
    await new Promise((resolve) => setImmediate(resolve));
    store.die();
    expect(await call).toMatchObject({
      ok: false,
      error: { code: "UNAUTHENTICATED", message: "invalid or expired API key" },
    });
    expect(JSON.stringify(await call)).not.toContain("corrected_call");
  });
});

test("refusals of keys and calls of admin ops are written down, nothing else is", async () => {
  const { keys, audited } = keyStore(() => true);
  const { exec } = fixture({ options: { keys } });
  await exec("onto.task.list", {}, {}, keyOf("read"));
  await exec("no.such.op", {}, {}, keyOf("read"));
  await exec("onto.task.list", { limit: 99 }, {}, keyOf("read"));
  expect(audited).toEqual([]);
  await exec(LIST, {}, {}, keyOf("write"));
  await exec(LIST, {}, {}, keyOf("admin"));
  await exec(LIST, {}, {}, principal({ grant: { level: "admin", projects: "*" } }));
  const traceId = expect.stringMatching(/^tr_/);
  expect(audited).toEqual([
    { keyId: "abcdefghij", op: LIST, code: "NOT_FOUND", traceId },
    { keyId: "abcdefghij", op: LIST, traceId },
    { op: LIST, traceId },
  ]);
});

test("refusals for want of a permission, a live key or a project are written down", async () => {
  const code = async (live: boolean, op: string, args: object, who: Principal) => {
    const { keys, audited } = keyStore(() => live);
    await fixture({ options: { keys } }).exec(op, args, {}, who);
    return audited.map((entry) => [entry.op, entry.code]);
  };
  const args = { task_id: "task_1" };
  expect(await code(true, "onto.task.delete", args, { ...keyOf("write"), allowWrite: false })).toEqual([
    ["onto.task.delete", "PERMISSION_DENIED"],
  ]);
  expect(await code(false, "onto.task.list", {}, keyOf("read"))).toEqual([["onto.task.list", "UNAUTHENTICATED"]]);
  expect(await code(false, "no.such.op", {}, keyOf("read"))).toEqual([["tool_exec", "UNAUTHENTICATED"]]);
  expect(await code(true, "onto.task.delete", args, keyOf(`project:${ONE}`))).toEqual([
    ["onto.task.delete", "NOT_FOUND"],
  ]);
  expect(await code(true, "onto.task.delete", args, { ...principal(), allowWrite: false })).toEqual([]);
});

test.each<[string, readonly GrantPart[], object]>([
  ["one part", [{ level: "write", projects: ["p"], packs: ["a"] }], { level: "write", projects: ["p"], more: false }],
  [
    "writes everywhere beside limited reads",
    [
      { level: "write", projects: "*" },
      { level: "read", projects: "*", ops: ["*.list"] },
    ],
    { level: "write", projects: "*", more: false },
  ],
  [
    "writes everywhere beside reads of a project",
    [
      { level: "read", projects: ["p"] },
      { level: "write", projects: "*" },
    ],
    { level: "write", projects: "*", more: false },
  ],
  [
    "reads everywhere beside writes of a pack",
    [
      { level: "read", projects: "*" },
      { level: "write", projects: "*", packs: ["a"] },
    ],
    { level: "read", projects: "*", more: true },
  ],
  [
    "two limited parts",
    [
      { level: "read", projects: "*", packs: ["a"] },
      { level: "admin", projects: ["p"] },
    ],
    { level: "read", projects: ["p"], more: true },
  ],
])("what a grant permits everywhere: %s", (_, parts, overall) => {
  const grant = joinedGrants(parts);
  if (!grant) throw new Error("no grant");
  expect(overallGrant(grant)).toEqual(overall);
});
