/**
 * OAuth for upstream servers: the SDK implements the protocol, the user consents in a browser, and a loopback listener
 * receives the result. Tokens are stored in `.onetool/oauth/<server>.json`, readable by the owner only, and sent only
 * to the URL that they were issued for.
 */

import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { STATE_DIRECTORY, stateDirectory } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { isObject } from "../contract/json.js";
import { listenForCallback, type RedirectListener } from "./oauth-callback.js";
import type { UpstreamServer } from "./servers.js";
import { UpstreamError } from "./upstream-error.js";

/** Options for storing and requesting tokens. */
export interface AuthorizationOptions {
  /** The folder that contains `.onetool/`. */
  readonly root: string;
  /** Shows the authorization URL to the user and opens it; absent without a user. */
  readonly open?: (url: URL, server: string) => void;
  /** How long to wait for the user. */
  readonly waitMs?: number;
}

/** Creates the SDK's OAuth provider for each server. */
export interface Authorization {
  /** `undefined` if there is neither a token nor a user. */
  providerFor(server: UpstreamServer): Promise<Provider | undefined>;
}

/** The SDK's provider, with the answer to its authorization request. */
export interface Provider extends OAuthClientProvider {
  /** Whether there is no user, so that tokens can only be renewed. */
  readonly isAlone: boolean;
  /** Whether the user was asked, so that {@link Provider.answer} will settle. */
  readonly asked: boolean;
  /** The query parameters of the redirect. Rejects if no answer arrives in time. */
  redirected(signal: AbortSignal | undefined): Promise<URLSearchParams>;
  /** A `fetch` by which all processes of a folder redeem a refresh token once: the others take what one has stored. */
  redeeming(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
  close(): void;
}

/** Stored credentials of a server. */
interface Kept {
  readonly url?: string;
  readonly redirect?: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

const FOLDER = "oauth";
const WAIT_MS = 300_000;
const KEYS = { client: ["client"], tokens: ["tokens"], all: ["client", "tokens"] } as const;

/** Stores tokens under a root, and asks the user if there is one. */
export function authorizationOf(options: AuthorizationOptions): Authorization {
  return { providerFor: (server) => providerFor(server, options) };
}

async function providerFor(server: UpstreamServer, options: AuthorizationOptions): Promise<Provider | undefined> {
  if (server.endpoint.kind !== "http") return undefined;
  const { open, waitMs = WAIT_MS } = options;
  const store = storeOf(options.root, server.name, server.endpoint.url.href);
  const { tokens, redirect } = await store.newest();
  if (!open) return tokens ? provider(server.name, store, redirect ?? NOWHERE, options, undefined) : undefined;
  const listener = await listenForCallback(redirect, waitMs);
  return provider(server.name, store, listener.url, options, listener);
}

/** Redirect URL for renewals, which need no redirect. */
const NOWHERE = "http://127.0.0.1/callback";

function provider(
  name: string,
  store: Store,
  redirect: string,
  { open }: AuthorizationOptions,
  listener: RedirectListener | undefined,
): Provider {
  const { newest, save, forget } = store;
  const { redeeming, isStored } = redemptions(name, store);
  let handedOut: StoredOAuthTokens | undefined;
  let asked: URL | undefined;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  return {
    isAlone: !open,
    get asked() {
      return asked !== undefined;
    },
    redirectUrl: redirect,
    clientMetadata: metadataOf(redirect),
    state: () => listener?.state ?? randomBytes(16).toString("hex"),
    // A registration includes the redirect URL, so another port needs another registration.
    clientInformation: async () => {
      const kept = await newest();
      return listener && kept.redirect !== redirect ? undefined : kept.client;
    },
    saveClientInformation: (client) => save({ client, redirect }),
    tokens: async () => {
      handedOut = (await newest()).tokens;
      return handedOut;
    },
    saveTokens: async (tokens) => {
      // The SDK saves tokens again that it has read, to note their issuer: newer ones may be there by now.
      if (isStored(tokens) || tokens.access_token === handedOut?.access_token) return;
      await save({ tokens: { ...scopeOf(asked?.searchParams.get("scope")), ...tokens } });
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
    redirectToAuthorization: (url) => {
      if (!open || !listener) throw ended(name);
      if (!/^https?:$/.test(url.protocol)) throw new Error(`its authorization address begins with ${url.protocol}`);
      asked = url;
      open(url, name);
    },
    invalidateCredentials: async (scope) => {
      if (scope === "verifier" || scope === "discovery") return;
      await forget(KEYS[scope], ({ tokens }) => tokens?.refresh_token === handedOut?.refresh_token);
    },
    redirected: (signal) => listener?.redirected(signal) ?? Promise.reject(new Error("no authorization was requested")),
    redeeming,
    close: () => listener?.close(),
  };
}

/** An answer without a scope grants the requested scope (RFC 6749, 5.1). */
const scopeOf = (scope: string | null | undefined): { readonly scope?: string } => (scope ? { scope } : {});

/** How long a redemption may take; others wait for it twice as long. */
const REDEEM_MS = 15_000;
/** Most refused tokens that one connection remembers. */
const MAX_REFUSED = 100;

/**
 * Redeems refresh tokens under the lock of the store, which the operating system ends when a process dies. A token that
 * another process has stored since, and that was not refused here, is the answer in place of a redemption.
 */
function redemptions(name: string, { alone, read, write }: Store) {
  const refused = new Set<string>();
  let stored: string | undefined;
  const isOther = (tokens: StoredOAuthTokens, sent: string): boolean =>
    tokens.refresh_token !== sent || !refused.has(tokens.access_token);
  const answered = (tokens: StoredOAuthTokens): Response => {
    stored = tokens.access_token;
    return Response.json(tokens);
  };
  const redeem = async (sent: string, ask: () => Promise<Response>): Promise<Response> => {
    const before = await read();
    if (before.tokens && isOther(before.tokens, sent)) return answered(before.tokens);
    const answer = await ask();
    const given = answer.ok ? tokensIn(await jsonIn(answer.clone())) : undefined;
    if (given) {
      const tokens: StoredOAuthTokens = { ...before.tokens, refresh_token: sent, ...given };
      await write({ ...before, tokens });
      return answered(tokens);
    }
    // A program that knows no lock may have redeemed it: the authorization has not ended then.
    const { tokens } = await read();
    return tokens !== undefined && tokens.refresh_token !== sent ? answered(tokens) : answer;
  };
  return {
    /** Whether tokens that the SDK saves are stored already; newer ones may be there by now. */
    isStored: ({ access_token }: StoredOAuthTokens): boolean => access_token === stored,
    redeeming:
      (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
      async (input, init) => {
        const sent = init?.body instanceof URLSearchParams ? init.body.get("refresh_token") : null;
        if (sent !== null) {
          const signals = [AbortSignal.timeout(REDEEM_MS), ...(init?.signal ? [init.signal] : [])];
          const ask = () => fetch(input, { ...init, signal: AbortSignal.any(signals) });
          return alone(() => redeem(sent, ask)).catch((error: unknown) => busy(name, error));
        }
        const response = await fetch(input, init);
        if (response.status === 401 || response.status === 403) {
          if (refused.size >= MAX_REFUSED) refused.delete([...refused][0] ?? "");
          refused.add(new Headers(init?.headers).get("authorization")?.replace(/^Bearer /i, "") ?? "");
        }
        return response;
      },
  };
}

/** @throws UpstreamError where the lock was not free in time, else the error */
function busy(name: string, error: unknown): never {
  if (!isLocked(error)) throw error;
  throw new UpstreamError(
    "UNAVAILABLE",
    `another process renews its authorization, and has not finished within ${(2 * REDEEM_MS) / 1000} s`,
    `try again, or end the process that uses ${name} and does not go on`,
  );
}

const isLocked = (error: unknown): boolean => error instanceof Error && "reason" in error && error.reason === "locked";

const jsonIn = (answer: Response): Promise<unknown> => answer.json().catch(() => undefined);

function tokensIn(answer: unknown): StoredOAuthTokens | undefined {
  if (!isObject(answer)) return undefined;
  const isToken = typeof answer["access_token"] === "string" && typeof answer["token_type"] === "string";
  return isToken ? (answer as unknown as StoredOAuthTokens) : undefined;
}

/** The client metadata of the registration. */
const metadataOf = (redirect: string): OAuthClientProvider["clientMetadata"] => ({
  client_name: "toolwright",
  redirect_uris: [redirect],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

const ended = (name: string): UpstreamError =>
  new UpstreamError(
    "UNAUTHENTICATED",
    "its authorization has ended, and could not be renewed",
    `run "toolwright snapshot ${name}" on a terminal, where a browser can be opened`,
  );

/** The stored credentials of one server and URL. Read anew each time, since another process may have renewed them. */
interface Store {
  newest(): Promise<Kept>;
  save(change: Kept): Promise<void>;
  /** @param isMeant - decides by what is stored when nobody else writes */
  forget(keys: readonly (keyof Kept)[], isMeant: (kept: Kept) => boolean): Promise<void>;
  /** Runs work while no other process changes the credentials. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Reads and writes within {@link Store.alone}. */
  readonly read: () => Promise<Kept>;
  readonly write: (kept: Kept) => Promise<void>;
}

function storeOf(root: string, name: string, url: string): Store {
  const file = join(root, STATE_DIRECTORY, FOLDER, `${name}.json`);
  const read = async (): Promise<Kept> => {
    const there = await readKept(file);
    return there.url === url ? there : { url };
  };
  const write = async (kept: Kept): Promise<void> => {
    await writeAtomically(join(await folderOf(root), `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`, {
      mode: 0o600,
      isDurable: true,
    });
  };
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    const { withFileLock } = await import("../state/file-lock.js");
    return withFileLock(join(await folderOf(root), `${name}.lock`), work, 2 * REDEEM_MS);
  };
  return {
    newest: read,
    save: (change) => alone(async () => write({ ...(await read()), ...change })),
    forget: (keys, isMeant) =>
      alone(async () => {
        const there = await read();
        if (isMeant(there)) await write(without(there, keys));
      }),
    ...{ alone, read, write },
  };
}

const without = (kept: Kept, keys: readonly (keyof Kept)[]): Kept =>
  Object.fromEntries(Object.entries(kept).filter(([key]) => !keys.includes(key as keyof Kept)));

/** Reads stored credentials. A missing or invalid file counts as empty, and is replaced. */
async function readKept(file: string): Promise<Kept> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Kept) : {};
  } catch {
    return {};
  }
}

/** The folder of credentials, for its owner only. */
async function folderOf(root: string): Promise<string> {
  const folder = join(await stateDirectory(root), FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}
