/** The console's login through an identity provider, with each step at another server on one PostgreSQL. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServed, type RawAnswer, raw } from "../../../test/support/http.js";
import { freePort } from "../../../test/support/ports.js";
import { type Oidc, startOidc } from "../../../test/support/servers/oidc.js";
import { type Replicas, startReplicas } from "../../../test/support/servers/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../../test/support/shared-database.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(NO_DATABASE !== "")(`three servers on one PostgreSQL${NO_DATABASE}`, () => {
  let oidc: Oidc;
  let replicas: Replicas;
  let origin: string;
  beforeAll(async () => {
    origin = `http://127.0.0.1:${await freePort()}`;
    const client = { client_id: "console", redirect_uris: [`${origin}/api/login/callback`] };
    oidc = await startOidc(
      {
        groups: { alice: ["eng"] },
        clients: [{ ...client, grant_types: ["authorization_code"], token_endpoint_auth_method: "none" }],
      },
      later,
    );
    const { href: url } = await startSharedDatabase(later);
    const issuer = {
      issuer: oidc.issuer,
      login: { client_id: "console" },
      grants: [{ when: { groups: "eng" }, level: "write" }],
    };
    const access = {
      rate: { burst: 1000, per_second: 1000 },
      oauth: { resource: `${origin}/mcp`, issuers: [issuer] },
    };
    replicas = await startReplicas({ url, config: { public_url: origin, access }, later });
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  const cookieOf = ({ headers }: RawAnswer, name: string): string =>
    [headers["set-cookie"] ?? []]
      .flat()
      .find((one) => one.startsWith(`toolwright_${name}_`))
      ?.split(";")[0] ?? "";
  const get = ({ url }: HttpServed, path: string, cookie: string): Promise<RawAnswer> =>
    raw(url, { method: "GET", path, headers: { cookie } });

  test("begun at one, led back to another, used and ended at a third; the answer is taken once", {
    timeout: SLOW,
  }, async () => {
    const [one, two, three] = replicas.servers as [HttpServed, HttpServed, HttpServed];
    const body = { issuer: oidc.issuer, to: "#/ops" };
    const begun = await raw(one.url, { path: "/api/login/begin", body, headers: { origin } });
    const back = await oidc.browse(new URL(JSON.parse(begun.text).url), origin);
    const path = `${back.pathname}${back.search}`;
    const led = await get(two, path, cookieOf(begun, "sign_in"));
    expect(led.headers["location"]).toBe("/#/ops");
    const login = cookieOf(led, "login");
    for (const server of [three, one, two]) {
      const { caller } = JSON.parse((await get(server, "/api/registry", login)).text);
      expect(caller).toMatchObject({ kind: "user", id: `${oidc.issuer}|alice` });
    }
    expect((await get(three, path, cookieOf(begun, "sign_in"))).headers["location"]).toContain("?login=");
    await raw(three.url, { path: "/api/logout", body: {}, headers: { origin, cookie: login } });
    for (const server of [one, two, three]) expect((await get(server, "/api/registry", login)).status).toBe(401);
  });
});
