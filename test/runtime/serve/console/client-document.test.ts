/**
 * A sign-in at a provider that reads the client ID metadata document of toolwright from its public URL, over TLS: from the
 * console to the connection.
 */

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, fetch } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../support/ports.js";
import { temporaryFolder } from "../../../support/project.js";
import { certificate, NO_OPENSSL } from "../../../support/servers/certificate.js";
import { settingsFor } from "../../../support/servers/connections.js";
import { startOidc } from "../../../support/servers/oidc.js";
import { serveKeys } from "../../../support/servers/served-keys.js";

test.skipIf(NO_OPENSSL)(
  "metadata_url: auto: the provider reads /oauth/client.json at public_url, registers nothing, and connects the caller",
  { timeout: 400_000 },
  async () => {
    const files = certificate(temporaryFolder(), "localhost");
    const port = await freePort();
    const origin = `https://localhost:${port}`;
    const dispatcher = new Agent({ connect: { ca: readFileSync(files.cert, "utf8") } });
    onTestFinished(() => dispatcher.destroy());
    const read: { readonly url: string; readonly status: number; readonly type: string | null }[] = [];
    const oidc = await startOidc({
      document: async (url) => {
        const answer = await fetch(url, { dispatcher, redirect: "error" });
        read.push({ url, status: answer.status, type: answer.headers.get("content-type") });
        return new Response(await answer.text(), { status: answer.status });
      },
    });
    const { scope, authorizeParams } = settingsFor(oidc.issuer);
    const auth = {
      ...{ mode: "per_user", issuer: oidc.issuer, client: { metadata_url: "auto", register: true } },
      ...{ scope, authorize_params: authorizeParams },
    };
    const { known } = await serveKeys(
      (clean) => onTestFinished(async () => void (await clean())),
      [
        `public_url: ${origin}`,
        `http: { tls: ${JSON.stringify(files)} }`,
        `servers: { github: { url: "https://api.example.com/mcp", auth: ${JSON.stringify(auth)} } }`,
        `state_encryption: { keys: [{ id: k1, from: "${randomBytes(32).toString("base64")}" }] }`,
      ],
      [],
      port,
    );
    const ask = (path: string, body?: object) =>
      fetch(`${origin}${path}`, {
        dispatcher,
        headers: { authorization: `Bearer ${known.write.key}`, "content-type": "application/json" },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
    const started = await ask("/api/connections/start", { name: "github" });
    const [cookie = ""] = started.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-toolwright_connect_\d+=[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const { url } = (await started.json()) as { readonly url: string };
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      ...{ client_id: `${origin}/oauth/client.json`, redirect_uri: `${origin}/connections/callback` },
      ...{ code_challenge_method: "S256", resource: "https://api.example.com/mcp" },
    });
    const answer = await oidc.browse(new URL(url), `${origin}/connections/callback`);
    const done = await fetch(answer, {
      dispatcher,
      redirect: "manual",
      headers: { cookie: cookie.split(";", 1)[0] ?? "" },
    });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/#/connections?name=github&outcome=connected"]);
    const { connections } = (await (await ask("/api/connections")).json()) as { readonly connections: object[] };
    expect(connections).toMatchObject([{ name: "github", since: expect.any(String) }]);
    expect(read).toContainEqual({
      ...{ url: `${origin}/oauth/client.json`, status: 200, type: expect.stringContaining("application/json") },
    });
    expect(oidc.seen).not.toContain("POST /reg");
  },
);
