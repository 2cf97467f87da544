/**
 * A real identity provider on loopback: `oidc-provider` with resource indicators, registration of clients, introspection
 * and rotating refresh tokens. Its user signs in and agrees at once.
 */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
// @ts-expect-error: the package has no types.
import OidcProvider from "oidc-provider";
import { onTestFinished } from "vitest";

/** The parts of the package that are used. */
interface Provider {
  readonly Grant: new (of: {
    readonly accountId: string;
    readonly clientId: string;
  }) => {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  };
  registerGrantType(
    name: string,
    handler: (context: ExchangeContext) => Promise<void>,
    parameters: readonly string[],
    repeated: readonly string[],
  ): void;
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ readonly params: Readonly<Record<string, string | undefined>> }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}
interface ExchangeContext {
  readonly oidc: {
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly client: { readonly clientId: string };
  };
  status: number;
  body: unknown;
}

/** Grant type of token exchange (RFC 8693), which the package leaves to those who need it. */
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const EXCHANGE_PARAMETERS = [
  "subject_token",
  "subject_token_type",
  "requested_token_type",
  "resource",
  "audience",
  "scope",
];
/** Client of the provider that may exchange tokens of users. */
export const EXCHANGER = { client_id: "exchanger", client_secret: "exchanger-secret" } as const;

const makeProvider = (issuer: string, configuration: object): Provider => new OidcProvider(issuer, configuration);

/** Client of the provider that may ask for tokens of its own and introspect those of others. */
export const MACHINE = { client_id: "machine", client_secret: "machine-secret" } as const;
/** Address to which the user's browser would return; nothing listens there. */
export const CALLBACK = "http://127.0.0.1:9/callback";

/** Options of the provider. */
export interface OidcOptions {
  /** Form of its access tokens. */
  readonly format?: "jwt" | "opaque";
  /** Lifetime of its access tokens in seconds. */
  readonly lifeS?: number;
  /** Groups of its users, by user. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Names of its users in their ID tokens, by user. */
  readonly names?: Readonly<Record<string, string>>;
  /** Clients beside {@link MACHINE}, as the provider registers them. */
  readonly clients?: readonly object[];
  /** Fetches client ID metadata documents, which it takes then: its own fetch reaches no loopback address. */
  readonly document?: (url: string) => Promise<Response>;
}

/** The running provider. */
export interface Oidc {
  readonly issuer: string;
  /** The user who signs in next. */
  user: string;
  /** Whether it answers nothing but 503. */
  isAway: boolean;
  /** Requests so far: `POST /token`. */
  readonly seen: string[];
  /** Follows an authorization address as the browser of the user, to the answer at a callback; default {@link CALLBACK}. */
  browse(url: URL, callback?: string): Promise<URL>;
  /** A token of {@link MACHINE}. */
  machineToken(resource: string, scope?: string): Promise<string>;
  /**
   * Holds the next request for tokens: before the provider has seen it, in which case it never does if the client goes away,
   * or with an answer that is ready.
   */
  holdToken(at: "before" | "after"): HeldToken;
  stop(): Promise<void>;
}

/** A request for tokens that is held. */
interface HeldToken {
  /** Resolves when the request is there, or its answer is ready. */
  readonly reached: Promise<void>;
  release(): void;
}

const SCOPES = "mcp:read mcp:write";

/** Starts the provider. */
export async function startOidc(
  { format = "jwt", lifeS = 300, groups = {}, names = {}, clients = [], document }: OidcOptions = {},
  remove: (clean: () => Promise<void>) => void = onTestFinished,
): Promise<Oidc> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const seen: string[] = [];
  const state = { user: "alice", isAway: false };
  let provider: Provider | undefined;
  let held: ReturnType<typeof holding> | undefined;
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    seen.push(`${request.method} ${path}`);
    if (!provider || state.isAway) return void response.writeHead(503).end();
    if (path === "/token" && held) {
      const hold = held;
      held = undefined;
      if (await hold.stops(response)) return;
    }
    if (!path.startsWith("/interaction/")) return provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: state.user, clientId: params["client_id"] ?? "" });
    grant.addOIDCScope(`openid offline_access ${SCOPES}`);
    if (params["resource"] !== undefined) grant.addResourceScope(params["resource"], SCOPES);
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(request, response, { login: { accountId: state.user }, consent });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = makeProvider(issuer, {
    clients: [
      ...clients,
      {
        ...EXCHANGER,
        redirect_uris: [],
        response_types: [],
        grant_types: [TOKEN_EXCHANGE],
        token_endpoint_auth_method: "client_secret_basic",
      },
      {
        ...MACHINE,
        redirect_uris: [],
        response_types: [],
        grant_types: ["client_credentials"],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "es", alg: "ES256", use: "sig" }] },
    scopes: ["openid", "offline_access", ...SCOPES.split(" ")],
    cookies: { keys: ["a cookie key"] },
    interactions: { url: (_: object, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    claims: { openid: ["sub", "name"] },
    findAccount: (_: object, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, name: names[accountId] }),
    }),
    extraTokenClaims: (_: object, { accountId = "" }: { readonly accountId?: string }) => ({
      groups: groups[accountId] ?? [],
    }),
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: lifeS,
      ClientCredentials: lifeS,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      IdToken: 600,
    },
    ...(document ? { fetch: document } : {}),
    clientDefaults: { id_token_signed_response_alg: "ES256", grant_types: ["authorization_code", "refresh_token"] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      ...(document ? { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } } : {}),
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPES,
          accessTokenFormat: format,
          accessTokenTTL: lifeS,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  const exchange = async (context: ExchangeContext): Promise<void> => {
    const { subject_token: subject = "", resource = "", scope } = context.oidc.params;
    const found = await jwtVerify(subject, publicKey, { issuer }).catch(() => undefined);
    if (!found) return void Object.assign(context, { status: 400, body: { error: "invalid_request" } });
    const act = { sub: context.oidc.client.clientId };
    const token = await new SignJWT({ sub: found.payload.sub ?? "", act, scope, jti: randomUUID() })
      .setProtectedHeader({ alg: "ES256", kid: "es", typ: "at+jwt" })
      .setIssuer(issuer)
      .setAudience(resource)
      .setExpirationTime(`${lifeS}s`)
      .sign(privateKey);
    const issued = { issued_token_type: "urn:ietf:params:oauth:token-type:access_token", token_type: "Bearer" };
    context.body = { access_token: token, ...issued, expires_in: lifeS };
  };
  provider.registerGrantType(TOKEN_EXCHANGE, exchange, EXCHANGE_PARAMETERS, []);
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  remove(stop);
  return {
    issuer,
    seen,
    stop,
    holdToken: (at) => {
      held = holding(at);
      return held;
    },
    get user() {
      return state.user;
    },
    set user(value) {
      state.user = value;
    },
    get isAway() {
      return state.isAway;
    },
    set isAway(value) {
      state.isAway = value;
    },
    browse,
    machineToken: async (resource, scope = "mcp:read") => {
      const basic = Buffer.from(`${MACHINE.client_id}:${MACHINE.client_secret}`).toString("base64");
      const answer = await fetch(`${issuer}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams({ grant_type: "client_credentials", resource, scope }),
      });
      const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
      if (token === undefined) throw new Error(`no token: ${answer.status}`);
      return token;
    },
  };
}

function event(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** Holds one request for tokens. */
function holding(at: "before" | "after") {
  const [there, free] = [event(), event()];
  return {
    reached: there.promise,
    release: free.resolve,
    /** Whether the client has gone, so that the provider is not asked. */
    async stops(response: ServerResponse): Promise<boolean> {
      if (at === "before") {
        there.resolve();
        await free.promise;
        return response.destroyed;
      }
      const end = response.end.bind(response) as (...body: unknown[]) => ServerResponse;
      response.end = ((...body: unknown[]) => {
        there.resolve();
        void free.promise.then(() => end(...body));
        return response;
      }) as ServerResponse["end"];
      return false;
    },
  };
}

const MAX_REDIRECTS = 10;

/** A browser without a memory of earlier visits. */
async function browse(url: URL, callback = CALLBACK): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let i = 0; i < MAX_REDIRECTS; i++) {
    if (at.href.startsWith(callback)) return at;
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const one of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    if (next === null) throw new Error(`the provider answers ${answer.status}: ${await answer.text()}`);
    at = new URL(next, at);
  }
  throw new Error("too many redirects");
}
