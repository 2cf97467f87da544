/** Scopes of connections: a server asks for more, and the next sign-in at any server gives it. */

import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import type { Principal } from "../../../runtime/contract/handler.js";
import { connectionsOver, PUBLIC, settingsFor, stateFor } from "../../support/servers/connections.js";
import { ALICE, answered, BOB, MISSING, use, world } from "./sign-ins.js";

describe("a server that asks for a wider scope", () => {
  const WIDER = { code: "UNAVAILABLE", details: { server: "github", reason: "sign_in_required", scope: "mcp:write" } };
  const scopeOf = (token: string) => String(decodeJwt(token)["scope"]).split(" ").sort().join(" ");

  test("gets it with the next sign-in at any server, and renewals keep it", async () => {
    const { oidc, state, settings, keys, server, other } = await world({}, { lifeS: 60 });
    const { query, browser } = await answered(oidc, server, ALICE);
    await server.signIns.finish(query, browser);
    const narrow = await server.token(use(ALICE));
    expect(scopeOf(narrow)).toBe("mcp:read");
    await expect(server.widened(use(ALICE), "mcp:write")).rejects.toMatchObject({
      ...WIDER,
      message: `github asks for the scope mcp:write, which your connection does not have. To do: open ${PUBLIC}/#/connections?name=github in a browser, and connect github again.`,
    });
    expect(await other.token(use(ALICE))).toBe(narrow);
    expect(await other.signIns.shown(ALICE)).toMatchObject([{ asks: "mcp:write", since: expect.any(String) }]);
    const second = await answered(oidc, other, ALICE);
    expect(second.url.searchParams.get("scope")).toBe("openid offline_access mcp:read mcp:write");
    await server.signIns.finish(second.query, second.browser);
    const wide = await server.widened(use(ALICE), "mcp:read mcp:write");
    expect([scopeOf(wide), (await server.signIns.shown(ALICE))[0]?.asks]).toEqual(["mcp:read mcp:write", undefined]);
    const later = connectionsOver(state, settings, keys, () => Date.now() + 61_000);
    const renewed = await later.token(use(ALICE));
    expect(renewed).not.toBe(wide);
    expect(scopeOf(renewed)).toBe("mcp:read mcp:write");
    const third = await server.signIns.begin("github", ALICE);
    expect(new URL(third.url).searchParams.get("scope")).toBe("openid offline_access mcp:read mcp:write");
  });

  test("where toolwright registers itself: it registers for the wider scope, once, and the earlier connections stay", async () => {
    const { oidc, state, settings, keys, server } = await world({ client: { register: true } }, { lifeS: 60 });
    const connect = async (principal: Principal): Promise<void> => {
      const { query, browser } = await answered(oidc, server, principal);
      expect(await server.signIns.finish(query, browser)).toMatchObject({ kind: "connected" });
    };
    await connect(ALICE);
    await connect(BOB);
    await expect(server.widened(use(ALICE), "mcp:write")).rejects.toMatchObject(WIDER);
    await connect(ALICE);
    expect(scopeOf(await server.token(use(ALICE)))).toBe("mcp:read mcp:write");
    await connect(BOB);
    await connect(ALICE);
    expect(oidc.seen.filter((one) => one === "POST /reg")).toHaveLength(2);
    const later = connectionsOver(state, settings, keys, () => Date.now() + 61_000);
    expect(scopeOf(await later.token(use(ALICE)))).toBe("mcp:read mcp:write");
    expect(scopeOf(await later.token(use(BOB)))).toBe("mcp:read");
  });

  test("while another server renews the token, loses neither the token nor what is asked for", async () => {
    const { oidc, state, settings, keys, server } = await world({}, { lifeS: 60 });
    const { query, browser } = await answered(oidc, server, ALICE);
    await server.signIns.finish(query, browser);
    const later = connectionsOver(state, settings, keys, () => Date.now() + 61_000);
    const asked = Array.from({ length: 6 }, () => server.widened(use(ALICE), "mcp:write"));
    const [token, ...refusals] = await Promise.allSettled([later.token(use(ALICE)), ...asked]);
    expect(token).toMatchObject({ status: "fulfilled" });
    for (const one of refusals) expect(one).toMatchObject({ status: "rejected", reason: WIDER });
    expect(await later.token(use(ALICE))).toMatch(/^eyJ/);
    expect((await server.signIns.shown(ALICE))[0]?.asks).toBe("mcp:write");
  });

  test("is bounded, and gets nothing where no person signs in", async () => {
    const { oidc, server } = await world();
    await expect(server.widened(use(ALICE), "mcp:write")).rejects.toMatchObject(MISSING);
    const { query, browser } = await answered(oidc, server, ALICE);
    await server.signIns.finish(query, browser);
    const REFUSED = { code: "UNAVAILABLE", details: { reason: "insufficient_scope" } };
    for (const scope of ["", " ", 'a"b', "a\\b", "a\u0000", "é", "x".repeat(201), "a ".repeat(20) + "b".repeat(201)])
      await expect(server.widened(use(ALICE), scope)).rejects.toMatchObject(REFUSED);
    for (let i = 0; i < 20; i++)
      await expect(server.widened(use(ALICE), `s${i}`)).rejects.toMatchObject({
        details: { reason: "sign_in_required" },
      });
    await expect(server.widened(use(ALICE), "s20")).rejects.toMatchObject(REFUSED);
    expect((await server.signIns.shown(BOB))[0]).not.toHaveProperty("asks");
    const machine = connectionsOver(await stateFor(), settingsFor(oidc.issuer, { mode: "client_credentials" }));
    await expect(machine.widened(use(ALICE), "mcp:write")).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining("Add it to scope of github in toolwright.yaml"),
    });
  });
});
