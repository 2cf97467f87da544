/** The commands `connections …`: list and revoke connections, and sign in for all callers. */

import type { ConnectionParts, ConnectionSettings } from "../config/connection-settings.js";
import { connectionPartsOf } from "../config/connection-settings.js";
import { silentLog } from "../config/log.js";
import { secretsOf } from "../config/secrets.js";
import { expandVariables, settingPlace } from "../config/settings.js";
import { type Connections, createConnections } from "../connections/connections.js";
import { clientCredentials } from "../connections/parts.js";
import { type ListedConnection, listConnections } from "../connections/rows.js";
import { areScopes, unionOfScopes } from "../connections/scopes.js";
import { beginSignIn, finishSignIn } from "../connections/sign-in.js";
import { connectPageUrl } from "../connections/stored-tokens.js";
import { isToolFailure, type Logger } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { expandedOrRefuse, type Start, stateSettingsIn } from "../gateway/open-project.js";
import { loadSignIn } from "../gateway/sign-in-part.js";
import { allowPrivateOf } from "../http-client/named-address.js";
import { withinStateMs } from "../state/deadline.js";
import { type LazyState, lazyState } from "../state/open.js";
import { openBrowser } from "../upstream/browser.js";
import { listenForCallback } from "../upstream/oauth-callback.js";
import { expandServer } from "../upstream/servers.js";
import { isUpstreamError } from "../upstream/upstream-error.js";

/** What these commands need. */
export type ConnectionsStart = Pick<Start, "root" | "config" | "overrides" | "out" | "err" | "paint"> & {
  /** Opens a page in the user's browser; default: that of the machine, if there is a terminal. */
  readonly openPage?: (url: URL) => void;
};

/** Flags of the commands. */
export interface ConnectionsFlags {
  readonly principal?: string;
  /** Scopes that `renew` asks for beside the others, with spaces between them. */
  readonly scope?: string;
  readonly json?: boolean;
}

interface Parts {
  readonly start: ConnectionsStart;
  readonly state: LazyState;
  readonly settings: ConnectionParts["settings"];
  readonly connections: Connections;
  readonly secret: (name: string) => string | undefined;
  readonly name: string;
  readonly flags: ConnectionsFlags;
}

const COMMANDS = { list, revoke, login, renew } as const satisfies Readonly<
  Record<string, (parts: Parts) => Promise<number>>
>;

/** A `connections` command. */
export type ConnectionsCommand = keyof typeof COMMANDS;

/** How long a command waits until the database is open. */
const OPEN_MS = 60_000;

/** Where people reach the console; undefined where it is not set. */
export function publicUrlOf({ root, config }: Pick<Start, "root" | "config">): URL | undefined {
  const text = expandVariables(config.public_url ?? "", secretsOf(root, config.secrets), []);
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Opens the connections of a project; `close` closes the state database. */
export async function connectionsOf(
  start: Pick<Start, "root" | "config" | "overrides" | "features">,
  log: Logger = silentLog,
) {
  const { root, config } = start;
  allowPrivateOf(root, config.web?.allow_private ?? []);
  const encryption = expandedOrRefuse(start, "state_encryption");
  const given = connectionPartsOf(
    config,
    encryption,
    (...path) => settingPlace(config.place, ...path),
    await loadSignIn(start),
  );
  const { settings, keys } = given ?? { settings: new Map<string, ConnectionSettings>(), keys: [] };
  const state = lazyState(async () =>
    (await import("../state/open.js")).openState({ ...stateSettingsIn(start), root }),
  );
  const secret = secretsOf(root, config.secrets);
  const connections = createConnections({
    ...{ settings, keys, state: state.get },
    ...{ secret, clock: state.now, log, publicUrl: publicUrlOf(start) },
  });
  return { state, settings, connections, secret };
}

/**
 * Runs one of the commands. Exit code 0, or 1 if there is no such connection, or the sign-in is refused.
 *
 * @param name - of `revoke`, `login` and `renew`: a server, or the pack of an API
 * @throws UsageError for settings that cannot work, and for an unknown name
 */
export async function connectionsCommand(
  start: ConnectionsStart,
  command: ConnectionsCommand,
  flags: ConnectionsFlags,
  name = "",
): Promise<number> {
  const warn = (message: string, fields: object = {}): void =>
    start.err(`${start.paint("yellow", "warning")} ${onLine(`${message}: ${JSON.stringify(fields)}`)}\n`);
  const opened = await connectionsOf(start, { ...silentLog, warn });
  try {
    // A database that is new or far away takes longer to open than a call would wait.
    await withinStateMs(OPEN_MS, async () => opened.state.get());
    return await COMMANDS[command]({ start, name, flags, ...opened });
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return refused(start, flags, error.message);
  } finally {
    await opened.state.close();
  }
}

function refused({ out, err, paint }: ConnectionsStart, { json }: ConnectionsFlags, message: string): number {
  if (json) out(`${JSON.stringify({ ok: false, error: onLine(message) })}\n`);
  else err(`${paint("red", "error")} ${onLine(message)}\n`);
  return 1;
}

const whose = ({ kind, principal }: Pick<ListedConnection, "kind" | "principal">): string =>
  kind === "shared" ? "all callers" : principal;

async function list({ start: { out }, state, flags }: Parts): Promise<number> {
  const rows = await listConnections(await state.get(), flags.principal);
  if (flags.json) out(`${JSON.stringify({ ok: true, connections: rows })}\n`);
  else if (rows.length === 0) out("nobody is connected\n");
  else
    for (const row of rows)
      out(
        `${onLine(`${row.server}  ${whose(row)}  ${row.issuer}  since ${row.created_at}, renewed ${row.updated_at}`)}\n`,
      );
  return 0;
}

async function revoke({ start, state, connections, name, flags }: Parts): Promise<number> {
  const open = await state.get();
  const rows = (await listConnections(open, flags.principal)).filter(({ server }) => server === name);
  await connections.end(rows.map(({ kind, principal, server, issuer }) => ({ kind, principal, server, issuer })));
  if (rows.length === 0) return refused(start, flags, `there is no connection to ${name}`);
  if (flags.json) start.out(`${JSON.stringify({ ok: true, revoked: rows.length })}\n`);
  else for (const row of rows) start.out(`${onLine(`the connection of ${whose(row)} to ${row.server} has ended`)}\n`);
  return 0;
}

const showPage =
  ({ err }: ConnectionsStart) =>
  (url: URL): void => {
    err(`open this page in a browser: ${url.href}\n`);
    openBrowser(url);
  };

/** @throws UsageError without a terminal */
function pageOpener(start: ConnectionsStart, command: ConnectionsCommand): (url: URL) => void {
  const { openPage = process.stdin.isTTY && process.stderr.isTTY ? showPage(start) : undefined } = start;
  if (openPage) return openPage;
  throw new UsageError(`connections ${command} needs a terminal, from which a browser can be opened`);
}

/** How a connection gets further scopes that no sign-in on this machine can give. */
const ELSEWHERE: Readonly<
  Record<Exclude<ConnectionSettings["mode"], "shared">, (name: string, page: string) => string>
> = {
  per_user: (name, page) =>
    `each caller connects ${name} once more, in the console: ${page}. It asks for the scopes of calls that were refused`,
  client_credentials: (name) =>
    `add the scope to \`scope\` of ${name} in toolwright.yaml, and let the authorization server give it: no person signs in`,
  token_exchange: (name) =>
    `add the scope to \`scope\` of ${name} in toolwright.yaml, and let the authorization server give it for the tokens of callers`,
};

/** Has a person sign in once more, for further scopes too. @throws UsageError for what are no scopes, and for an unknown name */
async function renew(parts: Parts): Promise<number> {
  const { start, flags, settings, name } = parts;
  if (flags.scope !== undefined && !areScopes(flags.scope))
    throw new UsageError(`--scope ${JSON.stringify(flags.scope)} is no list of scopes with spaces between them`);
  const found = settings.get(name);
  if (!found) return renewInteractive(parts);
  if (found.mode === "shared") return login(parts);
  const publicUrl = publicUrlOf(start);
  const page = publicUrl ? connectPageUrl(publicUrl, name) : "set public_url first";
  return refused(start, flags, ELSEWHERE[found.mode](name, page));
}

/** Signs in once more at a server that a person has authorized in a browser, as `snapshot` and `add` do. */
async function renewInteractive({ start, flags, secret, name }: Parts): Promise<number> {
  const servers = start.config.servers ?? {};
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!entry) throw new UsageError(`${onLine(name)} is neither a connection nor a server of toolwright.yaml`);
  const server = expandServer(name, entry, secret);
  if ("reason" in server) return refused(start, flags, `${name}: ${server.reason}. To do: ${server.remedy}`);
  const { endpoint } = server;
  if (endpoint.kind !== "http" || Object.keys(endpoint.headers).some((one) => one.toLowerCase() === "authorization"))
    return refused(
      start,
      flags,
      `nobody signs in at ${name}: its token is in servers.${name}, so give that one the scope`,
    );
  const [{ authorizationOf }, { authorizeAgain }] = await Promise.all([
    import("../upstream/authorization.js"),
    import("../upstream/authorize-again.js"),
  ]);
  const provider = await authorizationOf({ root: start.root, open: pageOpener(start, "renew") }).providerFor(server);
  try {
    if (provider) await authorizeAgain(server, provider, flags.scope);
  } catch (error) {
    if (!isUpstreamError(error)) throw error;
    return refused(start, flags, `${name} was not authorized: ${error.message}. To do: ${error.remedy}`);
  }
  start.out(flags.json ? `${JSON.stringify({ ok: true })}\n` : `${onLine(name)} is authorized again\n`);
  return 0;
}

/** How long the person has. */
const WAIT_MS = 300_000;

async function login(parts: Parts): Promise<number> {
  const { start, flags, connections, secret, name } = parts;
  const settings = sharedSettings(parts);
  if (settings.client.id === undefined) return inConsole(parts);
  const openPage = pageOpener(start, "login");
  const listener = await listenForCallback(undefined, WAIT_MS);
  try {
    const client = clientCredentials(settings, secret);
    const wanted = unionOfScopes(await connections.wanted(name), flags.scope);
    const place = { redirect: listener.url, state: listener.state, wanted };
    const { url, attempt } = await beginSignIn(settings, client, place);
    openPage(url);
    const signIn = await finishSignIn(settings, attempt, await listener.redirected(undefined), Date.now);
    if (signIn.kind === "refused") return refused(start, flags, `${name} was not connected: ${signIn.check}`);
    await connections.store(name, signIn.tokens, attempt);
  } catch (error) {
    if (isToolFailure(error)) throw error;
    return refused(start, flags, `${name} was not connected: ${messageOf(error)}`);
  } finally {
    listener.close();
  }
  start.out(flags.json ? `${JSON.stringify({ ok: true })}\n` : `${onLine(name)} is connected for all callers\n`);
  return 0;
}

/** A client that no person has registered has no redirect to this machine. */
function inConsole({ start, flags, name }: Parts): number {
  const publicUrl = publicUrlOf(start);
  const how = publicUrl
    ? `open ${connectPageUrl(publicUrl, name)} as an admin`
    : "set public_url, and open it as an admin";
  return refused(
    start,
    flags,
    `${name} has no client.id, so that it is connected in the console of the server: ${how}`,
  );
}

function sharedSettings({ settings, name }: Parts): ConnectionSettings {
  const found = settings.get(name);
  if (found?.mode === "shared") return found;
  const shared = [...settings.values()].filter(({ mode }) => mode === "shared").map((one) => one.name);
  throw new UsageError(
    `${onLine(name)} has no connection of mode shared in toolwright.yaml; ${shared.length === 0 ? "none has" : `those that have: ${shared.join(", ")}`}`,
  );
}
