/**
 * The commands `keys …`: they act as the owner of the keys, and print a new key once, alone on standard output. `keys create`
 * makes a key as the one of `OUBLIETTE_API_KEY` if that is set, as the op `oubliette.token.create` does.
 */

import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { takeOwnKey } from "../access/callers.js";
import { MAX_LIFE_MS, type Maker } from "../access/key-life.js";
import { INVALID_KEY, isKeysUnreadable, type KeyRecord } from "../access/key-store.js";
import { looksLikeKey, parseKey } from "../access/key-text.js";
import { type IssuedKey, type Keys, openKeys, type ShownKey } from "../access/keys.js";
import { silentLog } from "../config/log.js";
import { STATE_DIRECTORY } from "../config/state-directory.js";
import { durationMs } from "../contract/duration.js";
import { allowed } from "../contract/grant.js";
import { type FieldError, fail, isToolFailure, type ToolFailure } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import { unmatched } from "../contract/unmatched-patterns.js";
import { UsageError } from "../contract/usage-error.js";
import { type Start, stateSettingsIn } from "../gateway/open-project.js";
import { type PackObjects, packModules } from "../gateway/pack-modules.js";
import { readProject } from "../gateway/project.js";
import { storedProjects } from "../gateway/stored-projects.js";
import { lazyState } from "../state/open.js";

/** What these commands need. */
export type KeysStart = Pick<Start, "root" | "config" | "overrides" | "shipped" | "out" | "err" | "paint">;

/** Flags of the commands. */
export interface KeysFlags {
  readonly name?: string;
  readonly scope?: string;
  /** Patterns with commas between them. */
  readonly packs?: string;
  readonly ops?: string;
  readonly approve?: string;
  readonly expiresIn?: string;
  /** False with `--no-expiry`. */
  readonly expiry?: boolean;
  readonly out?: string;
  /** False with `--no-cascade`. */
  readonly cascade?: boolean;
  readonly overlap?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

interface Parts {
  readonly start: KeysStart;
  readonly keys: Keys;
  readonly keyId: string;
  readonly flags: KeysFlags;
}

/** Opens the key store of a project. */
export function keysOf(start: Pick<Start, "root" | "config" | "overrides" | "shipped">): Keys {
  const { root, config, shipped } = start;
  const { url } = stateSettingsIn(start);
  const state = lazyState(async () => (await import("../state/open.js")).openState({ url, root }));
  const { exists: projectExists } = storedProjects(state.get, () => objectsOf({ root, config, shipped }));
  const keys = openKeys({
    ...{ root, url, projectExists, log: silentLog, countsUses: false },
    ...{ state: state.get, clock: state.now },
  });
  const close = async (): Promise<void> => {
    await keys.close();
    await state.close();
  };
  return { ...keys, close };
}

/** The objects that packs store; a project that is not generated has no packs. */
async function objectsOf(start: Pick<Start, "root" | "config" | "shipped">): Promise<readonly PackObjects[]> {
  if (!existsSync(join(start.root, "generated"))) return [];
  return packModules({ ...start, ...(await readProject(start.root)) }).objects();
}

/** The implementation of each command; returns the exit code. */
const COMMANDS = { init, create, revoke, rotate, list, check } as const satisfies Readonly<
  Record<string, (parts: Parts) => Promise<number>>
>;

/** A `keys` command. */
export type KeysCommand = keyof typeof COMMANDS;

/**
 * Runs one of the commands. Exit code 0, or 1 if the request is refused or the key is not live.
 *
 * @param keyId - of `revoke` and `rotate`
 * @throws UsageError if the keys cannot be read, and for invalid flags
 */
export async function keysCommand(
  start: KeysStart,
  command: KeysCommand,
  flags: KeysFlags,
  keyId = "",
): Promise<number> {
  refuseKey(keyId);
  const keys = keysOf(start);
  try {
    return await COMMANDS[command]({ start, keys, keyId, flags });
  } catch (error) {
    if (isKeysUnreadable(error)) throw new UsageError(`${onLine(error.message)}: ${onLine(error.remedy)}`);
    if (!isToolFailure(error)) throw error;
    if (error.code === "VALIDATION_ERROR") throw new UsageError(flagErrors(error));
    start.err(`${start.paint("red", "error")} ${onLine(error.message)}\n`);
    return 1;
  } finally {
    await keys.close();
  }
}

/** Refuses a key on the command line, where the shell's history and process lists expose it. */
function refuseKey(keyId: string): void {
  if (!looksLikeKey(keyId)) return;
  const id = parseKey(keyId)?.keyId ?? "its ten characters after oub_";
  throw new UsageError(
    `give the id of the key, not the key: ${id}. Others may have seen the key, so rotate or revoke it`,
  );
}

const FLAG_OF: Readonly<Record<string, string>> = {
  name: "--name",
  scope: "--scope",
  packs: "--packs",
  ops: "--ops",
  approve: "--approve",
  expires_in_days: "--expires-in",
  no_expiry: "--no-expiry",
};

/** The field errors, by flag. */
function flagErrors({ message, details }: ToolFailure): string {
  const { field_errors: errors = [] } = (details ?? {}) as { readonly field_errors?: readonly FieldError[] };
  const lines = errors.map((one) => `${FLAG_OF[one.path] ?? one.path}: ${one.message}`);
  return onLine(lines.join("; ") || message);
}

/** @throws UsageError for anything but a whole number with a unit, up to ten years */
function lifeMs(flag: string, given: string): number {
  const ms = durationMs(given);
  if (ms !== undefined && ms <= MAX_LIFE_MS) return ms;
  throw new UsageError(
    `${flag} takes a number and s, m, h or d, such as 12h or 90d, up to 3650d; not ${onLine(given)}`,
  );
}

const endText = ({ expires_at }: Pick<KeyRecord, "expires_at">): string =>
  expires_at === null ? "does not expire" : `expires ${minute(expires_at)}`;

/** A time to the minute, in UTC. */
const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;

const ONCE = "The key is shown this once: keep it as you keep a password.";

async function init({ start, keys, flags }: Parts): Promise<number> {
  return handOut(
    start,
    flags,
    () => keys.init(),
    ({ record }) => `admin key ${record.key_id}, ${endText(record)}`,
  );
}

/** Prints a new key, or writes it to the file of `--out`; what is told of it goes to standard error. */
async function handOut(
  { out, err }: Pick<KeysStart, "out" | "err">,
  { out: path, json = false }: KeysFlags,
  make: () => Promise<IssuedKey>,
  told: (made: IssuedKey) => string,
): Promise<number> {
  const textOf = ({ key, record }: IssuedKey): string => (json ? asJson(key, record) : `${key}\n`);
  const made = path === undefined ? await make() : await intoNewFile(path, make, textOf);
  if (path === undefined) out(textOf(made));
  if (path !== undefined) err(`${told(made)}, written to ${onLine(path)}\n`);
  else if (!json) err(`${told(made)}. ${ONCE}\n`);
  return 0;
}

/**
 * Creates the file before the key, so that no key is lost if the file cannot be written; removes the file if no key is
 * created. What is there already, a link too, is left as it is.
 */
async function intoNewFile(
  path: string,
  make: () => Promise<IssuedKey>,
  textOf: (made: IssuedKey) => string,
): Promise<IssuedKey> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "is there already" : `cannot be written (${error.code})`;
    throw new UsageError(`${onLine(path)} ${why}: name a new file with --out`);
  });
  try {
    const made = await make();
    await file.writeFile(textOf(made));
    await file.sync();
    return made;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** A new key as one line of JSON. */
const asJson = (key: string, { key_id, name, scope, grant: { packs, ops, approve }, expires_at }: KeyRecord): string =>
  `${JSON.stringify({ key, key_id, name, scope, packs, ops, approve, expires_at })}\n`;

const patternsIn = (text: string): readonly string[] => text.split(",").map((one) => one.trim());

async function create({ start, keys, flags }: Parts): Promise<number> {
  const { name = "", scope = "", expiresIn, expiry } = flags;
  if (expiry === false && expiresIn !== undefined)
    throw new UsageError("give either --expires-in T or --no-expiry, not both");
  const life =
    expiry === false ? { lifeMs: null } : expiresIn === undefined ? {} : { lifeMs: lifeMs("--expires-in", expiresIn) };
  const bounds = {
    ...(flags.packs === undefined ? {} : { packs: patternsIn(flags.packs) }),
    ...(flags.ops === undefined ? {} : { ops: patternsIn(flags.ops) }),
    ...(flags.approve === undefined ? {} : { approve: patternsIn(flags.approve) }),
  };
  const maker = await makerOf(keys, takeOwnKey());
  const make = async (): Promise<IssuedKey> => {
    const made = await keys.create({ name, scope, ...bounds, ...life }, maker);
    for (const warning of await patternWarnings(start, bounds))
      start.err(`${start.paint("yellow", "warning")} ${warning}\n`);
    return made;
  };
  return handOut(start, flags, make, ({ record }) => {
    return `key ${record.key_id} (${scopeText({ ...record, ...bounds })}), ${endText(record)}`;
  });
}

const CREATE_OP = { op: "oubliette.token.create", access: "admin", target: "global" } as const;

/**
 * The key of the environment that makes a key; the owner of the store without one.
 *
 * @throws UsageError for a key that is not live
 * @throws ToolFailure PERMISSION_DENIED for one that may not make keys
 */
async function makerOf(keys: Keys, own: string | undefined): Promise<Maker> {
  if (own === undefined) return "local";
  const live = await keys.verify(own);
  if (!live) throw new UsageError(`OUBLIETTE_API_KEY: ${INVALID_KEY}; ${AS_OWNER}`);
  if (allowed(CREATE_OP, live.grant)) return live;
  return fail(
    "PERMISSION_DENIED",
    `The key ${live.keyId} of OUBLIETTE_API_KEY makes no keys: set an admin key, or ${AS_OWNER}`,
  );
}

const AS_OWNER = "unset it to make the key as the owner of this machine";

const PATTERN_KINDS = { packs: "pack", ops: "op", approve: "op" } as const;

/** Patterns that match nothing so far. A project that is not generated has no ops to compare with. */
async function patternWarnings(
  { root }: KeysStart,
  bounds: Partial<Record<(typeof PATTERNS)[number], readonly string[]>>,
): Promise<readonly string[]> {
  if (Object.keys(bounds).length === 0 || !existsSync(join(root, "generated"))) return [];
  const { registry } = await readProject(root);
  const hasTools = existsSync(join(root, STATE_DIRECTORY, "tools"));
  const beside = hasTools ? ` (tools in ${STATE_DIRECTORY}/tools are not looked at)` : "";
  return PATTERNS.flatMap((name) =>
    (bounds[name] ?? []).flatMap((pattern) => {
      const fault = unmatched(PATTERN_KINDS[name], pattern, registry);
      return fault === undefined ? [] : [onLine(`${FLAG_OF[name]}: ${JSON.stringify(pattern)} ${fault}${beside}`)];
    }),
  );
}

async function revoke({ start, keys, keyId, flags }: Parts): Promise<number> {
  const revoked = await keys.revoke(keyId, { cascade: flags.cascade !== false });
  for (const one of revoked) start.out(`${one}\n`);
  if (!revoked.includes(keyId)) start.err(`${keyId} was revoked before\n`);
  return 0;
}

async function rotate({ start, keys, keyId, flags }: Parts): Promise<number> {
  const overlap = flags.overlap ?? "24h";
  const make = () => keys.rotate(keyId, lifeMs("--overlap", overlap));
  return handOut(start, flags, make, ({ record }) => {
    return `key ${record.key_id}, ${endText(record)}; ${keyId} is live for ${overlap} at most`;
  });
}

async function list({ start, keys, flags }: Parts): Promise<number> {
  const shown = await keys.list({ all: flags.all === true });
  if (flags.json) start.out(`${JSON.stringify({ keys: shown })}\n`);
  else if (shown.length === 0) start.out(`no ${flags.all ? "" : "live "}keys\n`);
  else for (const line of tableOf(shown)) start.out(`${line}\n`);
  return 0;
}

/** The scope, and to which packs and ops it is bound. */
const scopeText = ({ scope, ...patterns }: Pick<ShownKey, "scope" | (typeof PATTERNS)[number]>): string =>
  onLine(
    [scope, ...PATTERNS.flatMap((name) => (patterns[name] ? [`${name}=${patterns[name].join(",")}`] : []))].join(" "),
  );

const PATTERNS = ["packs", "ops", "approve"] as const;

const COLUMNS: Readonly<Record<string, (key: ShownKey) => string>> = {
  KEYID: (key) => key.key_id,
  NAME: (key) => onLine(key.name),
  SCOPE: scopeText,
  STATE: (key) => key.state,
  CREATED: (key) => minute(key.created_at),
  "CREATED BY": (key) => onLine(key.created_by),
  EXPIRES: (key) => (key.expires_at === null ? "never" : minute(key.expires_at)),
  "LAST USED": (key) => (key.last_used_at === null ? "-" : minute(key.last_used_at)),
};

function tableOf(keys: readonly ShownKey[]): readonly string[] {
  const columns = Object.entries(COLUMNS).map(([title, of]) => [title, ...keys.map(of)]);
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  return [undefined, ...keys].map((_, row) =>
    columns
      .map((cells, i) => (cells[row] ?? "").padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

async function check({ start, keys, flags }: Parts): Promise<number> {
  if (process.stdin.isTTY) start.err("paste the key, then Enter and Ctrl-D\n");
  const live = await keys.verify((await text(process.stdin)).trim());
  const record = live && (await keys.list({ all: true })).find(({ key_id }) => key_id === live.keyId);
  if (!record) {
    if (flags.json) start.out(`${JSON.stringify({ live: false })}\n`);
    else start.err(`${INVALID_KEY}\n`);
    return 1;
  }
  const { key_id, name, scope, expires_at } = record;
  const line = `${key_id} is live: ${onLine(name)}, ${scopeText(record)}, ${endText(record)}`;
  start.out(`${flags.json ? JSON.stringify({ live: true, key_id, name, scope, expires_at }) : line}\n`);
  return 0;
}
