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
import { type Listener, listenForCallback } from "./oauth-callback.js";
import type { Server } from "./servers.js";
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
  providerFor(server: Server): Promise<Provider | undefined>;
}

/** The SDK's provider, with the answer to its authorization request. */
export interface Provider extends OAuthClientProvider {
  /** Whether there is no user, so that tokens can only be renewed. */
  readonly isAlone: boolean;
  /** Whether the user was asked, so that {@link Provider.answer} will settle. */
  readonly asked: boolean;
  /** The query parameters of the redirect. Rejects if no answer arrives in time. */
  redirected(signal: AbortSignal | undefined): Promise<URLSearchParams>;
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

async function providerFor(server: Server, options: AuthorizationOptions): Promise<Provider | undefined> {
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
  { newest, save, forget }: Store,
  redirect: string,
  { open }: AuthorizationOptions,
  listener: Listener | undefined,
): Provider {
  let handedOut: StoredOAuthTokens | undefined;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  let asked = false;
  return {
    isAlone: !open,
    get asked() {
      return asked;
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
    saveTokens: (tokens) => save({ tokens }),
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
      asked = true;
      open(url, name);
    },
    invalidateCredentials: async (scope) => {
      if (scope === "verifier" || scope === "discovery") return;
      const { tokens } = await newest();
      if (tokens?.refresh_token !== handedOut?.refresh_token) return;
      await forget(KEYS[scope]);
    },
    redirected: (signal) => listener?.redirected(signal) ?? Promise.reject(new Error("no authorization was requested")),
    close: () => listener?.close(),
  };
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
  forget(keys: readonly (keyof Kept)[]): Promise<void>;
}

function storeOf(root: string, name: string, url: string): Store {
  const file = join(root, STATE_DIRECTORY, FOLDER, `${name}.json`);
  const newest = async (): Promise<Kept> => {
    const there = await readKept(file);
    return there.url === url ? there : { url };
  };
  return {
    newest,
    save: async (change) => writeKept(root, name, { ...(await newest()), ...change }),
    forget: async (keys) => writeKept(root, name, without(await newest(), keys)),
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

async function writeKept(root: string, name: string, kept: Kept): Promise<void> {
  const folder = join(await stateDirectory(root), FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const text = `${JSON.stringify(kept, null, 2)}\n`;
  await writeAtomically(join(folder, `${name}.json`), text, { mode: 0o600, isDurable: true });
}
