/** An identity provider on loopback that signs whatever a test asks for, and counts what it is asked. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { onTestFinished } from "vitest";

/** A key pair with a key id. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** Makes a key pair. */
export const signingKey = async (kid: string, alg = "ES256"): Promise<SigningKey> => ({
  kid,
  ...(await generateKeyPair(alg, { extractable: true })),
});

/** Starts the provider; it ends with the test. */
export async function startIssuer() {
  const key = await signingKey("k1");
  const state = {
    keys: [key],
    isDown: false,
    /** Whether requests are taken and not answered. */
    isHanging: false,
    /** What answers a path instead of the provider. */
    instead: {} as Readonly<Record<string, (answer: ServerResponse) => unknown>>,
    /** The answer of the introspection and token endpoints as text, whatever it is. */
    raw: undefined as string | undefined,
    introspectionStatus: 200,
    jwksAsked: 0,
    introspected: 0,
    active: {} as object,
    /** What the token endpoint answers, and the forms that it was sent. */
    tokens: {} as object,
    tokenStatus: 200,
    redeemed: [] as { readonly form: URLSearchParams; readonly authorization: string | undefined }[],
    /** What the revocation endpoint was sent, and the status that it answers. */
    revoked: [] as URLSearchParams[],
    revokeStatus: 200,
    /** Members of the metadata beside the usual ones. */
    metadata: {} as object,
    date: undefined as Date | undefined,
  };
  const server = createServer(async (request, answer) => {
    const { url = "" } = request;
    const send = (body: object) => answer.setHeader("content-type", "application/json").end(JSON.stringify(body));
    if (state.date) answer.setHeader("date", state.date.toUTCString());
    if (url === "/introspect") state.introspected++;
    if (state.isHanging) return;
    const instead = state.instead[url];
    if (instead) return void instead(answer);
    if (state.isDown) answer.writeHead(502).end();
    else if (state.raw !== undefined && ["/introspect", "/token"].includes(url)) answer.end(state.raw);
    else if (url === "/.well-known/oauth-authorization-server")
      send({
        issuer,
        jwks_uri: `${issuer}/jwks`,
        introspection_endpoint: `${issuer}/introspect`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...state.metadata,
      });
    else if (url === "/jwks") {
      state.jwksAsked++;
      const keys = state.keys.map(async ({ kid, publicKey }) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg: "ES256",
      }));
      send({ keys: await Promise.all(keys) });
    } else if (url === "/introspect") {
      answer.statusCode = state.introspectionStatus;
      send(state.active);
    } else if (url === "/token") {
      state.redeemed.push({
        form: new URLSearchParams(await text(request)),
        authorization: request.headers.authorization,
      });
      answer.statusCode = state.tokenStatus;
      send(state.tokens);
    } else if (url === "/revoke") {
      state.revoked.push(new URLSearchParams(await text(request)));
      answer.writeHead(state.revokeStatus).end();
    } else answer.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = (now = Date.now()): JWTPayload => ({
    iss: issuer,
    aud: RESOURCE,
    sub: "alice",
    exp: Math.floor(now / 1000) + 300,
    scope: "mcp:read",
    groups: ["eng"],
  });
  const sign = (
    changes: Readonly<Record<string, unknown>> = {},
    by: SigningKey = key,
    header: Partial<JWTHeaderParameters> = {},
  ) =>
    new SignJWT({ ...claims(), ...changes })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: by.kid, ...header })
      .sign(by.privateKey);
  return { issuer, key, state, claims, sign };
}

/** The audience of all tokens in tests. */
export const RESOURCE = "https://tools.example.com/mcp";
