/** OAuth at upstream servers: consent, stored tokens, refusals. */

import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationOf } from "../../../runtime/upstream/authorization.js";
import { temporaryFolder } from "../../support/project.js";
import { guardedServer } from "../../support/upstream/http.js";
import { failureOf, namesIn, ready, snapshotOf } from "../../support/upstream/servers.js";

const TOOLS = [{ name: "guarded", inputSchema: { type: "object" } }];

/** A person who says yes at once, and how often they were asked. */
function person(root: string, waitMs = 20_000) {
  const asked: URL[] = [];
  const open = (url: URL): void => {
    asked.push(url);
    void fetch(url);
  };
  return { asked, authorization: authorizationOf({ root, open, waitMs }) };
}

describe("OAuth", () => {
  test("a person says yes once; tokens are kept for their owner and used without a person, and refreshed", async () => {
    const root = temporaryFolder();
    const authority = await guardedServer(TOOLS);
    const server = ready({ url: `${authority.origin}/mcp` });
    const { asked, authorization } = person(root);
    expect(namesIn(await snapshotOf(server, { authorization }))).toEqual(["guarded"]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.searchParams.get("code_challenge_method")).toBe("S256");
    expect(authority.grants).toEqual(["authorization_code"]);

    const file = join(root, ".onetool", "oauth", "tested.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, ".onetool", "oauth")).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ url: `${authority.origin}/mcp` });

    const withoutBrowser = authorizationOf({ root });
    expect(namesIn(await snapshotOf(server, { authorization: withoutBrowser }))).toEqual(["guarded"]);
    authority.tokens.clear();
    expect(namesIn(await snapshotOf(server, { authorization: withoutBrowser }))).toEqual(["guarded"]);
    expect(authority.grants).toEqual(["authorization_code", "refresh_token"]);
    expect([asked.length, authority.clients.size]).toEqual([1, 1]);
  });

  test("without a user it fails, says where to run it, and does not register", async () => {
    const authority = await guardedServer(TOOLS);
    const failure = await failureOf(ready({ url: `${authority.origin}/mcp` }), {
      authorization: authorizationOf({ root: temporaryFolder() }),
    });
    expect(failure).toMatchObject({
      code: "UNAUTHENTICATED",
      message: "it asks for authorization (HTTP 401)",
      remedy: expect.stringContaining('run "toolwright snapshot tested" on a terminal'),
    });
    expect(authority.clients.size).toBe(0);
  });

  test("tokens go to the address that they were made for only", async () => {
    const root = temporaryFolder();
    const [first, second] = [await guardedServer(TOOLS), await guardedServer(TOOLS)];
    const { authorization } = person(root);
    await snapshotOf(ready({ url: `${first.origin}/mcp` }), { authorization });
    const failure = await failureOf(ready({ url: `${second.origin}/mcp` }), {
      authorization: authorizationOf({ root }),
    });
    expect(failure.code).toBe("UNAUTHENTICATED");
    expect(second.headers.get("/mcp")?.authorization).toBeUndefined();
  });

  test("a user who declines, and one who never answers", async () => {
    const refusing = await guardedServer(TOOLS, "no");
    const { authorization } = person(temporaryFolder());
    const failure = await failureOf(ready({ url: `${refusing.origin}/mcp` }), { authorization });
    expect(failure).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringContaining("access_denied") });

    const silent = authorizationOf({ root: temporaryFolder(), open: () => undefined, waitMs: 100 });
    const late = await failureOf(ready({ url: `${(await guardedServer(TOOLS)).origin}/mcp` }), {
      authorization: silent,
    });
    expect(late).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringContaining("no answer within") });
  });

  test("an answer with another state is not taken", async () => {
    const authority = await guardedServer(TOOLS);
    const statuses: number[] = [];
    const open = (url: URL): void => {
      const forged = new URL(url.searchParams.get("redirect_uri") ?? "");
      forged.search = "code=stolen&state=guessed";
      void fetch(forged)
        .then(({ status }) => statuses.push(status))
        .then(() => fetch(url));
    };
    const authorization = authorizationOf({ root: temporaryFolder(), open, waitMs: 20_000 });
    expect(namesIn(await snapshotOf(ready({ url: `${authority.origin}/mcp` }), { authorization }))).toEqual([
      "guarded",
    ]);
    expect(statuses).toEqual([400]);
  });

  test("a broken file of tokens counts as none, and is replaced", async () => {
    const root = temporaryFolder();
    const authority = await guardedServer(TOOLS);
    const { asked, authorization } = person(root);
    const server = ready({ url: `${authority.origin}/mcp` });
    await snapshotOf(server, { authorization });
    const file = join(root, ".onetool", "oauth", "tested.json");
    writeFileSync(file, "{ broken");
    chmodSync(file, 0o644);
    await snapshotOf(server, { authorization });
    expect([asked.length, statSync(file).mode & 0o777]).toEqual([2, 0o600]);
  });
});
