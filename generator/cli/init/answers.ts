/** Collects the answers that `init` needs: by questions on a terminal, or from defaults. */

import type { Readable, Writable } from "node:stream";
import { onLine, visibleText } from "../../../runtime/contract/message-text.js";
import type { ServerEntry, SourceEntry } from "../../../runtime/contract/settings/entries.js";
import { type FoundSource, findSources } from "./found.js";
import { STARTER } from "./project.js";

/** Access to the clients on this machine and their servers, provided by the runtime. */
export interface Clients {
  /** Servers of every client on this machine. */
  readonly find: () => Promise<readonly OfferedServer[]>;
  /** Servers of one client, by name, of `all` clients, or in one file. */
  readonly from: (clientOrFile: string) => Promise<readonly OfferedServer[]>;
  /**
   * Turns servers into entries of `servers`, their secrets into variables. Those whose limits cannot be kept are left out, unless
   * their names are accepted.
   */
  readonly importServer: (servers: readonly OfferedServer[], accepted?: readonly string[]) => ImportedServers;
}

/** A limit of a client that is not kept. */
interface LostKey {
  readonly key: string;
  readonly why: string;
}

/** Entries of `servers`, and the secrets that were replaced in them. */
export interface ImportedServers {
  readonly servers: readonly {
    readonly name: string;
    readonly entry: ServerEntry;
    readonly from: string;
    readonly notes: readonly string[];
    readonly lost: readonly LostKey[];
  }[];
  readonly secrets: ReadonlyMap<string, string>;
  readonly skipped: readonly {
    readonly name: string;
    readonly from: string;
    readonly reason: string;
    /** The limits for which it is left out. */
    readonly lost?: readonly LostKey[];
  }[];
}

/** What is said of imported servers, a line each. */
export function importedLines({
  servers,
}: Pick<ImportedServers, "servers">): readonly (readonly [name: string, text: string])[] {
  return servers.flatMap(({ name, notes, lost }) => [
    ...notes.map((note) => [name, note] as const),
    ...lost.map(({ key, why }) => [name, `its ${key} is not kept, as accepted: ${why}`] as const),
  ]);
}

/** What `--json` says of servers: names of variables, never values. */
export const reportOf = ({ servers, secrets, skipped }: ImportedServers) => ({
  servers: servers.map(({ name, from, entry, notes, lost }) => ({ name, from, entry, notes, not_kept: lost })),
  left_out: skipped.map(({ name, from, reason, lost = [] }) => ({ name, from, reason, not_kept: lost })),
  secrets: [...secrets.keys()],
});

/** @throws InitRefusal for an accepted name that no server has */
export function checkAccepted(accepted: readonly string[] = [], offered: readonly OfferedServer[]): void {
  const names = offered.map((one) => one.name);
  const strange = accepted.find((one) => !names.includes(one));
  if (strange !== undefined)
    throw new InitRefusal(
      `--accept ${onLine(strange)}: no server of the name is imported; there are ${names.map(onLine).join(", ") || "none"}`,
    );
}

/** The answers. */
export interface InitAnswers {
  readonly imported: ImportedServers;
  readonly sources: readonly SourceEntry[];
  /** Whether the starter example is written. */
  readonly starter: boolean;
  readonly keepSecrets: boolean;
  /** Whether `snapshot` and `generate` run afterwards. */
  readonly run: boolean;
}

/** Streams for the questions. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

const NONE = { servers: [], secrets: new Map(), skipped: [] } as const;

/**
 * Default answers: the named servers, the project's own client files, and the contents of `definitions/` but modules, whose code would be
 * run; without any of them, and with consent, the starter example.
 */
export async function defaultAnswers(
  root: string,
  given: readonly OfferedServer[],
  clients: Clients,
  consent: boolean,
): Promise<InitAnswers> {
  const found = given.length > 0 ? [] : (await clients.find()).filter((one) => one.scope === "project");
  const imported = clients.importServer([...given, ...found]);
  const offered = findSources(root);
  const sources = offered.filter((one) => one.means === undefined).flatMap((one) => one.entries);
  const isEmpty = imported.servers.length + imported.skipped.length + offered.length === 0;
  return { imported, sources, starter: consent && isEmpty, keepSecrets: consent, run: true };
}

/** Asks the questions; undefined if the user cancels. */
export async function askAnswers(
  root: string,
  given: readonly OfferedServer[],
  clients: Clients,
  terminal: Terminal,
): Promise<InitAnswers | undefined> {
  const ask = await import("@clack/prompts");
  const { input, output } = terminal;
  const at = { input, output };
  const found = findSources(root);
  const offered = given.length > 0 ? [] : (await clients.find()).filter((one) => !one.isOwn);
  ask.intro(`toolwright init in ${visibleText(root)}`, at);
  const kinds = await ask.multiselect({
    ...at,
    message: "What tools are there?",
    ...kindOptions(found, offered, given),
    required: true,
  });
  if (ask.isCancel(kinds)) return undefined;
  const alone = kinds.length === 1;
  const servers = kinds.includes("servers") ? await askServers(ask, at, { offered, given, alone }) : [];
  if (servers === undefined) return undefined;
  const imported = servers.length > 0 ? clients.importServer(servers) : NONE;
  const keepSecrets =
    imported.secrets.size > 0 ? await ask.confirm({ ...at, message: secretsQuestion(imported) }) : false;
  if (ask.isCancel(keepSecrets)) return undefined;
  const message = imported.servers.length > 0 ? "Read the servers now, and generate?" : "Generate now?";
  const run = await ask.confirm({ ...at, message });
  if (ask.isCancel(run)) return undefined;
  ask.outro("Writing the project.", at);
  const sources = found.filter((one) => kinds.includes(one.kind)).flatMap((one) => one.entries);
  return { imported, sources, starter: kinds.includes("starter"), keepSecrets, run };
}

type Ask = typeof import("@clack/prompts");

function kindOptions(
  found: readonly FoundSource[],
  offered: readonly OfferedServer[],
  given: readonly OfferedServer[],
) {
  const servers = given.length + offered.length;
  const options = [
    { value: "servers", label: "MCP servers", hint: servers > 0 ? `${servers} known` : "you name them" },
    ...found.map(({ kind, label, means, entries }) => ({
      value: kind as string,
      label,
      hint: visibleText([entries.map(shownEntry).join(", "), ...(means === undefined ? [] : [means])].join("; ")),
    })),
    ...(found.some((one) => one.kind === "chat-tools")
      ? []
      : [{ value: "starter", label: "Function tools in TypeScript", hint: "an example to start from" }]),
  ];
  const chosen = found.filter((one) => one.means === undefined).map((one) => one.kind as string);
  const initialValues = [...chosen, ...(servers > 0 || chosen.length === 0 ? ["servers"] : [])];
  return { options, initialValues };
}

const shownEntry = (entry: SourceEntry): string => Object.values(entry).join(" ");

interface Servers {
  readonly offered: readonly OfferedServer[];
  readonly given: readonly OfferedServer[];
  /** Whether there are no other tools, so that at least one server is needed. */
  readonly alone: boolean;
}

/** Asks which known servers to import, and for further ones; undefined if the user cancels. */
async function askServers(
  ask: Ask,
  at: Terminal,
  { offered, given, alone }: Servers,
): Promise<readonly OfferedServer[] | undefined> {
  const chosen = offered.length > 0 ? await askWhich(ask, at, offered) : [];
  if (ask.isCancel(chosen)) return undefined;
  const servers = [...given, ...chosen];
  for (;;) {
    const needed = alone && servers.length === 0;
    const line = await ask.text({
      ...at,
      message:
        servers.length > 0 ? "Another server, as NAME=URL or NAME=COMMAND?" : "A server, as NAME=URL or NAME=COMMAND?",
      placeholder: needed ? "such as docs=https://example.com/mcp" : "empty: no more",
      validate: (text = "") => (text.trim() !== "" ? faultOf(text) : needed ? NEEDED : undefined),
    });
    if (ask.isCancel(line)) return undefined;
    if ((line ?? "").trim() === "") return servers;
    servers.push(serverGiven(line));
  }
}

const NEEDED = "Nothing else was chosen, so name one; Ctrl-C gives up.";

const askWhich = (ask: Ask, at: Terminal, offered: readonly OfferedServer[]) =>
  ask.multiselect({
    ...at,
    message: "Which servers shall be imported?",
    options: offered.map((one) => ({ value: one, label: visibleText(one.name), hint: visibleText(one.from) })),
    initialValues: offered.filter((one) => one.scope === "project"),
    required: false,
  });

function faultOf(text: string): string | undefined {
  try {
    serverGiven(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const secretsQuestion = ({ secrets }: ImportedServers): string =>
  `Keep the values of ${visibleText([...secrets.keys()].join(", "))} in .onetool/secrets.yaml, for you only? They are not written anywhere else.`;

/** The source of the starter example. */
export const STARTER_SOURCE: SourceEntry = STARTER.source;

/** Thrown for invalid input of `init`; the command ends with exit code 2. */
export class InitRefusal extends Error {
  override readonly name = "UsageError";
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/**
 * Parses one server. A command is split at white space; quotes keep words together, a backslash escapes the next character.
 *
 * @throws InitRefusal with the reason
 */
export function serverGiven(text: string): OfferedServer {
  const cut = text.indexOf("=");
  const [name, target] = [text.slice(0, Math.max(cut, 0)).trim(), text.slice(cut + 1).trim()];
  if (cut < 1 || target === "") throw new InitRefusal(`${JSON.stringify(text)} is not NAME=URL or NAME=COMMAND`);
  return serverNamed(name, [target], "--server");
}

/**
 * A server by its name, and its URL or command: the words of a command line, or one text that is split.
 *
 * @throws InitRefusal with the reason
 */
export function serverNamed(name: string, words: readonly string[], from: string): OfferedServer {
  const [target = "", ...rest] = words;
  if (!NAME.test(name))
    throw new InitRefusal(
      `${JSON.stringify(name)} makes no file name: use letters, digits, dots, hyphens and underscores, beginning with a letter or digit`,
    );
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme))
    throw new InitRefusal(
      `${JSON.stringify(target)} cannot be reached: a server has an http or https URL, or is a command`,
    );
  if (scheme !== undefined && rest.length > 0)
    throw new InitRefusal(`${rest.join(" ")} follows a URL: name one server, by its URL or by its command`);
  const meant = rest.length === 0 ? addressMeant(target) : undefined;
  if (meant !== undefined)
    throw new InitRefusal(`${JSON.stringify(target)} is an address without its scheme: did you mean ${meant}?`);
  const [command = "", ...args] = scheme !== undefined ? [] : rest.length > 0 ? words : wordsIn(target);
  return { name, value: command === "" ? { url: target } : { command, args }, from, scope: "given" };
}

/** A host with a port, or a host of the internet with a path that MCP servers have. */
const BARE_ADDRESS =
  /^(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,})(?::\d{1,5}(?:[/?]\S*)?|(?:\/\S*)?\/(?:mcp|sse)\/?)$/i;

/** The URL that an address without a scheme means: of this machine or a network of one's own over http, else over https. */
function addressMeant(text: string): string | undefined {
  const [, host] = BARE_ADDRESS.exec(text) ?? [];
  return host === undefined
    ? undefined
    : `${/[a-z]{2,}$/i.test(host) && host !== "localhost" ? "https" : "http"}://${text}`;
}

/** White space; a double-quoted, single-quoted, escaped or plain piece of a word; otherwise an invalid character. */
const PIECE = /(\s+)|"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(.)/gs;

function wordsIn(text: string): readonly string[] {
  const words: string[][] = [[]];
  for (const [, space, double, single, escaped, plain, stray] of text.matchAll(PIECE)) {
    if (stray !== undefined) throw new InitRefusal(`${JSON.stringify(text)} ends inside a quote: close it`);
    if (space !== undefined) words.push([]);
    else words.at(-1)?.push(double?.replace(/\\(.)/gs, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  return words.filter((pieces) => pieces.length > 0).map((pieces) => pieces.join(""));
}

/** A server to import, from a client or from the command line. */
export interface OfferedServer {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly from: string;
  readonly scope: "project" | "personal" | "given";
  /** Whether it is toolwright itself, which is not offered. */
  readonly isOwn?: boolean;
}
