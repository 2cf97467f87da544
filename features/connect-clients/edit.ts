/** Adds the toolwright entry to the text of a client's file, and verifies that nothing else changed. */

import { isDeepStrictEqual } from "node:util";
import { isPlainObject, parsedValues } from "../../runtime/cli/client-text.js";
import { type Client, type ClientEntry, isToolwright } from "../../runtime/cli/clients.js";
import type { Values } from "../../runtime/contract/json.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { changedJson, type JsonChange } from "./json-text.js";
import { changedToml } from "./toml-text.js";

/** The entry to write. */
export interface WantedEntry {
  readonly client: Pick<Client, "format" | "member" | "input">;
  readonly name: string;
  readonly entry: ClientEntry;
}

/** Members of an entry that define the connection; these are replaced. All other members belong to the user. */
const CONNECTION_KEYS =
  "type command args url serverUrl headers bearer_token_env_var http_headers env_http_headers".split(" ");

/**
 * The text with the entry added; unchanged if it is there already.
 *
 * @param file - the file's name for messages
 * @throws UsageError if the text is invalid, another server has the name, or the rest cannot be preserved
 */
export async function withEntry(text: string, wanted: WantedEntry, file: string): Promise<string> {
  const { client, name } = wanted;
  const before = await parsedValues(text, client.format);
  if (before === undefined)
    throw new UsageError(
      `${file} is no ${client.format.toUpperCase()} that can be read, and is left as it is: correct it, or add the entry by hand`,
    );
  const expected = withServer(before, wanted, file);
  if (isDeepStrictEqual(expected, before)) return text;
  const after =
    client.format === "toml" ? await tomlWith(text, wanted) : await changedJson(text, changesFor(before, wanted));
  if (isDeepStrictEqual(await parsedValues(after, client.format).catch(() => undefined), expected)) return after;
  throw new UsageError(
    `${file} holds ${client.member} in a form that cannot be changed safely, and is left as it is: add ${name} by hand`,
  );
}

const memberOf = (values: Values, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);

/** The existing toolwright entry, or `undefined`. @throws UsageError for another server with that name */
function ownEntry(values: Values, { client, name }: WantedEntry, file: string): Values | undefined {
  const servers = memberOf(values, client.member);
  const there = isPlainObject(servers) ? memberOf(servers, name) : undefined;
  if (there === undefined || (isPlainObject(there) && isToolwright(there, name))) return there;
  throw new UsageError(
    `${file} has another server of the name ${name}, which is not replaced: choose another name with --name`,
  );
}

/**
 * The name for the entry of a project: that of its own entry, or the first that no entry of toolwright has. An entry of
 * another project is never replaced.
 *
 * @param isOwn - whether an entry of toolwright is about the project
 */
export async function nameFor(
  text: string,
  { client, name }: WantedEntry,
  others: Iterable<string>,
  isOwn: (entry: ClientEntry) => boolean,
): Promise<string> {
  const servers = memberOf((await parsedValues(text, client.format)) ?? {}, client.member);
  const isForeign = (one: string): boolean => {
    const there = isPlainObject(servers) ? memberOf(servers, one) : undefined;
    return isPlainObject(there) && !(isToolwright(there, one) && isOwn(there));
  };
  const first = isPlainObject(servers) ? memberOf(servers, name) : undefined;
  // Another server of the name is reported where the entry is written.
  if (!isPlainObject(first) || !isToolwright(first, name) || isOwn(first)) return name;
  for (const other of others) if (!isForeign(other)) return other;
  return name;
}

const needsInput = (values: Values, { client: { input }, entry }: WantedEntry): boolean => {
  const inputs = memberOf(values, "inputs");
  return (
    input !== undefined &&
    JSON.stringify(entry).includes(`\${input:${input.id}}`) &&
    !(Array.isArray(inputs) && inputs.some((one) => isPlainObject(one) && one["id"] === input.id))
  );
};

/** The expected content of the file. */
function withServer(before: Values, wanted: WantedEntry, file: string): Values {
  const { client, name, entry } = wanted;
  const [servers, inputs] = [memberOf(before, client.member), memberOf(before, "inputs")];
  const kept = Object.entries(ownEntry(before, wanted, file) ?? {}).filter(([key]) => !CONNECTION_KEYS.includes(key));
  return {
    ...before,
    [client.member]: { ...(isPlainObject(servers) ? servers : {}), [name]: { ...Object.fromEntries(kept), ...entry } },
    ...(needsInput(before, wanted) ? { inputs: [...(Array.isArray(inputs) ? inputs : []), client.input] } : {}),
  };
}

function changesFor(before: Values, wanted: WantedEntry): readonly JsonChange[] {
  const { client, name, entry } = wanted;
  const at = [client.member, name];
  const there = ownEntry(before, wanted, name);
  const gone = CONNECTION_KEYS.filter((key) => there && Object.hasOwn(there, key) && !Object.hasOwn(entry, key));
  const members = Object.entries(entry).filter(([key, value]) => !isDeepStrictEqual(there?.[key], value));
  const ours: readonly JsonChange[] = there
    ? [
        ...members.map(([key, value]) => ({ path: [...at, key], value })),
        ...gone.map((key) => ({ path: [...at, key], value: undefined })),
      ]
    : [{ path: at, value: entry }];
  const input = needsInput(before, wanted) ? [{ path: ["inputs"], value: client.input, append: true }] : [];
  return [...input, ...ours];
}

const tomlWith = (text: string, { client, name, entry }: WantedEntry): Promise<string> =>
  changedToml(text, [client.member, name], entry, CONNECTION_KEYS);

/** Values of `env` and headers of the servers in a text of a client, in either format, except those that an entry contains too. */
export async function secretsIn(text: string, entry: object): Promise<readonly string[]> {
  const values = (await parsedValues(text, "json")) ?? (await parsedValues(text, "toml"));
  const ours = JSON.stringify(entry);
  return textsOfBags(values).filter((one) => !ours.includes(one));
}

/** The members of a server that hold secrets. */
const BAGS: ReadonlySet<string> = new Set(["env", "headers", "http_headers"]);

const textsOfBags = (value: unknown): readonly string[] =>
  isPlainObject(value)
    ? Object.entries(value).flatMap(([key, one]) =>
        BAGS.has(key) && isPlainObject(one)
          ? Object.values(one).filter((text): text is string => typeof text === "string")
          : textsOfBags(one),
      )
    : [];
