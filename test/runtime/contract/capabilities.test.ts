/** Every kind of principal under every limit: a table, so that a new kind has no limit by accident or loses one. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AuditEntry } from "../../../runtime/access/access-log.js";
import { requireLive, watchOf, whileLive } from "../../../runtime/access/admission.js";
import type { Keys } from "../../../runtime/access/keys.js";
import { keyPrincipal, userPrincipal } from "../../../runtime/access/principal.js";
import { capabilitiesOf } from "../../../runtime/contract/capabilities.js";
import type { Grant, Principal } from "../../../runtime/contract/handler.js";
import { takeCalls } from "../../../runtime/serve/console/api.js";
import { fixture, principal } from "../gateway/fixture.js";

const READ: Grant = { level: "read", projects: "*" };
const HOUR_MS = 3_600_000;
const KINDS: Readonly<Record<Principal["kind"], (until?: number) => Principal>> = {
  local: () => principal({ grant: READ }),
  key: () => keyPrincipal({ keyId: "abcdefghij", grant: READ }),
  user: (until = Date.now() + HOUR_MS) => userPrincipal({ id: "https://id.example.com|alice", grant: READ, until }),
};
const kinds = Object.keys(KINDS) as Principal["kind"][];
const isOutsider = (kind: Principal["kind"]): boolean => kind !== "local";

/** Keys of which none is live. */
function noKeys(audited: AuditEntry[] = []) {
  const gone = new AbortController();
  gone.abort();
  return {
    still: async () => undefined,
    watch: () => ({ signal: gone.signal, release: () => undefined }),
    audit: (entry: AuditEntry) => void audited.push(entry),
  } as unknown as Keys;
}

test.each(kinds)("%s: the rate limit", async (kind) => {
  const rates = () => ({ take: async () => 5000 }) as never;
  const refused = await takeCalls(KINDS[kind](), { rates }, 1);
  expect(refused?.status).toBe(isOutsider(kind) ? 429 : undefined);
});

test.each(kinds)("%s: a share of requests and programs, a name in spans, a credential", (kind) => {
  const { isShared, isNamed, hasCredential } = capabilitiesOf(KINDS[kind]());
  expect([isShared, isNamed, hasCredential]).toEqual(Array(3).fill(isOutsider(kind)));
});

test.each(kinds)("%s: its permission ends, before work and in a write", async (kind) => {
  const ended = requireLive(noKeys(), KINDS[kind](Date.now() - 1));
  if (isOutsider(kind)) await expect(ended).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  else await ended;
});

test.each(kinds)("%s: running work and streams end with its permission", async (kind) => {
  const who = KINDS[kind](Date.now() + 30);
  expect(watchOf(noKeys(), who) !== undefined).toBe(isOutsider(kind));
  const live = { ...noKeys(), still: async () => ({}) } as unknown as Keys;
  const work = whileLive(live, who, undefined, async (signal) => {
    if (signal && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    signal?.throwIfAborted();
    return "done";
  });
  if (isOutsider(kind)) await expect(work).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  else expect(await work).toBe("done");
});

test.each(kinds)("%s: the audit of a refused admin op names it", async (kind) => {
  const audited: AuditEntry[] = [];
  const { exec } = fixture({ options: { keys: { ...noKeys(audited), still: async () => ({}) } as unknown as Keys } });
  await exec("admin.keys.list", {}, {}, KINDS[kind]());
  expect(audited.map(({ keyId }) => keyId)).toEqual([isOutsider(kind) ? KINDS[kind]().id : undefined]);
});

test("a user of level read writes nothing, and one of level write does", () => {
  expect(KINDS.user().allowWrite).toBe(false);
  expect(userPrincipal({ id: "a", grant: { level: "write", projects: "*" }, until: 1 }).allowWrite).toBe(true);
});

test("no code compares the kind of a principal with key or user", () => {
  const runtime = join(import.meta.dirname, "../../../runtime");
  const files = readdirSync(runtime, { recursive: true, encoding: "utf8" }).filter((one) => /\.tsx?$/.test(one));
  const found = files.filter((one) => /kind [!=]== "(key|user)"/.test(readFileSync(join(runtime, one), "utf8")));
  expect(found).toEqual([]);
});
