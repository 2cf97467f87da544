/**
 * OAuth for upstream servers: the SDK does the protocol, a person says yes in a browser, and a listener on the loopback
 * address hears of it. Tokens stay in `.onetool/oauth/<server>.json`, for their owner only, and go to the address that they
 * were made for and to no other.
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
import { HOME, homeFolder } from "../home.js";
import { writeWhole } from "../whole-file.js";
import { type Listener, listenForCallback } from "./oauth-callback.js";
import type { Server } from "./servers.js";
import { UpstreamError } from "./upstream-error.js";

/** How tokens are kept and asked for. */
export interface AuthorizationOptions {
  /** The folder that holds `.onetool/`. */
  readonly root: string;
  /** Shows a person the address to open, and opens it; absent where nobody is there to ask. */
  readonly open?: (url: URL, server: string) => void;
  /** How long a person may take. */
  readonly waitMs?: number;
}

/** Makes the SDK's provider for each server. */
export interface Authorization {
  /** Undefined where there are neither tokens nor anybody to ask. */
  providerFor(server: Server): Promise<Provider | undefined>;
}

/** The SDK's provider, and the answer of the person that it has asked. */
export interface Provider extends OAuthClientProvider {
  /** Whether nobody is there to ask, so that tokens can be renewed only. */
  readonly isAlone: boolean;
  /** Whether a person was asked, so that {@link Provider.answer} will come. */
  readonly asked: boolean;
  /** What the authorization server sent the browser back with. Rejects when nobody answers in time. */
  answer(signal: AbortSignal | undefined): Promise<URLSearchParams>;
  close(): void;
}

/** What is kept of a server. */
interface Kept {
  readonly url?: string;
  readonly redirect?: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

const FOLDER = "oauth";
const WAIT_MS = 300_000;
const KEYS = { client: ["client"], tokens: ["tokens"], all: ["client", "tokens"] } as const;

/** Keeps tokens under a root, and asks a person where one is there. */
export function authorizationOf(options: AuthorizationOptions): Authorization {
  return { providerFor: (server) => providerFor(server, options) };
}

async function providerFor(server: Server, options: AuthorizationOptions): Promise<Provider | undefined> {
  if (server.door.kind !== "http") return undefined;
  const { open, waitMs = WAIT_MS } = options;
  const store = storeOf(options.root, server.name, server.door.url.href);
  const { tokens, redirect } = await store.newest();
  if (!open) return tokens ? provider(server.name, store, redirect ?? NOWHERE, options, undefined) : undefined;
  const listener = await listenForCallback(redirect, waitMs);
  return provider(server.name, store, listener.url, options, listener);
}

/** Where nobody is sent. */
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
    // A registration names the address that the browser comes back to: another port needs another one.
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
    answer: (signal) => listener?.answer(signal) ?? Promise.reject(new Error("nobody was asked")),
    close: () => listener?.close(),
  };
}

/** What we register as. */
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

/** What is kept of one server for one address. Read anew each time: another process may have renewed it, or a person given it again. */
interface Store {
  newest(): Promise<Kept>;
  save(change: Kept): Promise<void>;
  forget(keys: readonly (keyof Kept)[]): Promise<void>;
}

function storeOf(root: string, name: string, url: string): Store {
  const file = join(root, HOME, FOLDER, `${name}.json`);
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

/** What was kept; a file that is missing, broken or open to others counts as nothing, and is replaced. */
async function readKept(file: string): Promise<Kept> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return typeof value === "object" && value !== null ? (value as Kept) : {};
  } catch {
    return {};
  }
}

async function writeKept(root: string, name: string, kept: Kept): Promise<void> {
  const folder = join(await homeFolder(root), FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const text = `${JSON.stringify(kept, null, 2)}\n`;
  await writeWhole(join(folder, `${name}.json`), text, { mode: 0o600, isDurable: true });
}
