/**
 * Checks of `toolwright doctor` on connections (`auth` of servers and sources): the authorization server of each, how
 * toolwright is known to it, the keys that encrypt what is stored, and the rows that none of them opens.
 */

import { issuerEndpoint, issuerMetadata } from "../access/issuer-client.js";
import { LOCAL_ID } from "../access/principal.js";
import {
  type ConnectionParts,
  type ConnectionSettings,
  connectionPartsOf,
  needsSignIn,
} from "../config/connection-settings.js";
import { secretPlaces } from "../config/secret-sources.js";
import { secretsOf } from "../config/secrets.js";
import { settingPlace } from "../config/settings.js";
import { documentUrl, redirectOf } from "../connections/clients.js";
import { keyFaults } from "../connections/key-check.js";
import { clientCredentials } from "../connections/parts.js";
import { keysInUse, listConnections } from "../connections/rows.js";
import { isRefusal, requestTokens } from "../connections/token-request.js";
import { counted, onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError } from "../contract/usage-error.js";
import type { CheckFinding } from "../gateway/doctor-part.js";
import { expandedOrRefuse, type Start, stateSettingsIn } from "../gateway/open-project.js";
import { loadSignIn, type SignInPart } from "../gateway/sign-in-part.js";
import type { State } from "../state/open.js";
import { publicUrlOf } from "./connections.js";

/** What these checks take of the command line. */
type Given = Pick<Start, "root" | "config" | "overrides" | "features">;

const ok = (found: string): CheckFinding => ({ what: "auth", ok: true, found: onLine(found) });
const fault = (found: string, remedy: string): CheckFinding => ({
  ...{ what: "auth", ok: false, found: onLine(found), remedy: onLine(remedy) },
});

/** Nothing without connections. */
export async function connectionFindings(start: Given): Promise<readonly CheckFinding[]> {
  const { parts, faults } = partsOf(start, await loadSignIn(start));
  if (!parts) return faults;
  const checks = [...parts.settings.values()].map((one) => findingsOf(one, start));
  return [...faults, ...(await Promise.all(checks)).flat(), ...(await rowFindings(start, parts))];
}

const KEY_REMEDY =
  'make 32 bytes with "openssl rand -base64 32", and set the variable that state_encryption.keys names';
/** Stands in where the configured keys cannot be used, so that the rest is checked. */
const NO_KEY = { keys: [{ id: "", from: "0".repeat(64) }] };

function partsOf(
  start: Given,
  signIn: SignInPart | undefined,
): {
  readonly parts?: ConnectionParts | undefined;
  readonly faults: readonly CheckFinding[];
} {
  const { config } = start;
  const read = (encryption: Parameters<typeof connectionPartsOf>[1]) =>
    connectionPartsOf(config, encryption, (...path) => settingPlace(config.place, ...path), signIn);
  try {
    if (!read(NO_KEY)) return { faults: [] };
  } catch (error) {
    if (!isUsageError(error)) throw error;
    return { faults: [fault(error.message, "correct definitions/toolwright.yaml as it says")] };
  }
  try {
    return { parts: read(expandedOrRefuse(start, "state_encryption")), faults: [] };
  } catch (error) {
    if (!isUsageError(error)) throw error;
    const { settings } = read(NO_KEY) ?? { settings: new Map() };
    return { parts: { settings, keys: [] }, faults: [fault(error.message, KEY_REMEDY)] };
  }
}

async function findingsOf(settings: ConnectionSettings, start: Given): Promise<readonly CheckFinding[]> {
  const { name, issuer, mode } = settings;
  const faultOf = (error: unknown, remedy: string): readonly CheckFinding[] => [
    fault(`${name}: ${issuer}: ${messageOf(error)}`, remedy),
  ];
  let metadata: Metadata;
  try {
    ({ metadata } = await issuerMetadata(issuer));
  } catch (error) {
    return faultOf(
      error,
      `write issuer of ${name} as the authorization server writes itself in its metadata, and let this machine reach it`,
    );
  }
  try {
    const endpoints = ["token_endpoint", ...(needsSignIn(mode) ? ["authorization_endpoint"] : [])];
    for (const one of endpoints) issuerEndpoint(metadata, one, issuer);
    const found = await clientFinding(settings, metadata, start);
    return [...serverFaults(settings, metadata), found];
  } catch (error) {
    return faultOf(error, "correct this endpoint at the authorization server, or in the metadata that it publishes");
  }
}

type Metadata = Readonly<Record<string, unknown>>;
const lists = (metadata: Metadata, name: string, value: string): boolean | undefined => {
  const all = metadata[name];
  return Array.isArray(all) ? all.includes(value) : undefined;
};
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** What a server does not offer, by its metadata. */
function serverFaults({ name, issuer, mode }: ConnectionSettings, metadata: Metadata): readonly CheckFinding[] {
  if (needsSignIn(mode) && lists(metadata, "code_challenge_methods_supported", "S256") !== true)
    return [
      fault(
        `${name}: ${issuer} does not say that it supports PKCE with S256`,
        "let it accept S256, and say so in code_challenge_methods_supported: nobody can sign in without",
      ),
    ];
  if (mode === "token_exchange" && lists(metadata, "grant_types_supported", TOKEN_EXCHANGE) === false)
    return [
      fault(
        `${name}: ${issuer} does not say that it exchanges tokens (RFC 8693)`,
        "enable it there, or choose another mode",
      ),
    ];
  return [];
}

/** How toolwright is known to a server. */
async function clientFinding(settings: ConnectionSettings, metadata: Metadata, start: Given): Promise<CheckFinding> {
  const { name, client, mode } = settings;
  const publicUrl = publicUrlOf(start);
  const redirect = publicUrl && needsSignIn(mode) ? redirectOf(name, metadata, publicUrl) : undefined;
  if (client.id !== undefined) return configuredClient(settings, start, redirect);
  const document = documentUrl(client.metadata_url, redirect);
  const takesDocuments = metadata["client_id_metadata_document_supported"] === true;
  if (document?.startsWith("https:") && takesDocuments) return ok(`${name}: ${mode}, as the client ${document}`);
  if (client.register !== true)
    return fault(
      `${name}: ${takesDocuments ? "client.metadata_url is at no https URL" : `${settings.issuer} takes no client ID metadata document`}`,
      takesDocuments ? "set public_url to the https URL of this server" : "set client.id, or client.register: true",
    );
  if (typeof metadata["registration_endpoint"] === "string") return ok(`${name}: ${mode}, registers toolwright`);
  return fault(
    `${name}: ${settings.issuer} registers no clients`,
    "register toolwright there by hand, and set client.id and client.secret",
  );
}

/** Asks for a token where that needs no person, which shows whether the client is known. */
async function configuredClient(
  settings: ConnectionSettings,
  { root, config }: Given,
  redirect: URL | undefined,
): Promise<CheckFinding> {
  const { name, issuer, mode, scope, resource } = settings;
  let client: ReturnType<typeof clientCredentials>;
  try {
    client = clientCredentials(settings, secretsOf(root, config.secrets));
  } catch (error) {
    return fault(`${name}: ${messageOf(error)}`, `set it ${secretPlaces(config.secrets)}`);
  }
  const registered = redirect ? `, with the redirect URI ${redirect.href}` : "";
  const found = `${name}: ${mode}, as the client ${client.clientId}${registered}`;
  if (mode !== "client_credentials") return ok(found);
  const answer = await requestTokens(issuer, client, { grant_type: mode, scope, resource }, Date.now);
  if (!isRefusal(answer)) return ok(`${found}, which gets tokens`);
  return fault(
    `${found}, gets no token: ${answer.reason}`,
    "correct client, scope and resource, or what the authorization server allows this client",
  );
}

/** How many rows are under each key, where there are several: one without rows can be removed. */
function underKeys(
  inUse: Awaited<ReturnType<typeof keysInUse>>,
  keys: ConnectionParts["keys"],
): readonly CheckFinding[] {
  if (keys.length < 2) return [];
  const counts = keys.map(({ id }) => {
    const count = inUse.find((one) => one.key_id === id)?.count ?? 0;
    return `${counted(count, "stored connection")} under the key ${id}`;
  });
  return [ok(counts.join(", "))];
}

/** Where a key is in the configuration. */
const keyPlace = ({ config }: Given, keys: ConnectionParts["keys"], id: string): string => {
  const at = keys.findIndex((one) => one.id === id);
  return `${settingPlace(config.place, "state_encryption", "keys", at)} state_encryption.keys[${at}]:`;
};

/** Rows that cannot be opened any more, and how many are under which key. Without the database there is nothing to say: another check says why. */
async function rowFindings(start: Given, { keys }: ConnectionParts): Promise<readonly CheckFinding[]> {
  const { openState } = await import("../state/open.js");
  const state = await openState({ ...stateSettingsIn(start), root: start.root }).catch(() => undefined);
  if (!state) return [];
  try {
    const inUse = await keysInUse(state);
    const gone = inUse.filter(({ key_id: id }) => !keys.some((one) => one.id === id));
    return [
      ...underKeys(inUse, keys),
      ...gone.map(({ key_id: id, count }) =>
        fault(
          `${counted(count, "stored connection")} cannot be opened: state_encryption.keys has no key ${id}`,
          `put the key ${id} back behind the first one; if it is lost, people sign in again`,
        ),
      ),
      ...(await keyFaults(state, keys)).map(({ id, found, remedy }) =>
        fault(`${keyPlace(start, keys, id)} ${found}`, remedy),
      ),
      ...(await readerFaults(start, state)),
    ];
  } catch {
    return [];
  } finally {
    await state.close();
  }
}

/** Servers that are read on a schedule, with the connection of a caller who has none. */
async function readerFaults({ config }: Given, state: State): Promise<readonly CheckFinding[]> {
  const read = Object.entries(config.servers ?? {}).filter(
    ([, { auth, enabled, snapshot }]) => auth?.mode === "per_user" && enabled !== false && snapshot?.every,
  );
  const found = read.map(async ([name, { auth, snapshot: { principal = LOCAL_ID } = {} }]) => {
    const rows = await listConnections(state, principal);
    if (rows.some((row) => row.kind === "own" && row.server === name && row.issuer === auth?.issuer)) return [];
    return [
      fault(
        `${name}: snapshot.every reads it with the connection of ${principal}, who is not connected`,
        `connect it in the console as ${principal}, or name a caller of "toolwright connections list" as servers.${name}.snapshot.principal`,
      ),
    ];
  });
  return (await Promise.all(found)).flat();
}
