/** Reads the flags that name servers, APIs and files of tools on the command line, in place of a project. */

import { basename } from "node:path";
import { onLine } from "../../runtime/contract/message-text.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** Flags that name tools, and what belongs to them. */
export interface GivenFlags {
  /** Commands of MCP servers. */
  readonly stdio?: readonly string[];
  /** Addresses of MCP servers. */
  readonly url?: readonly string[];
  /** Files and addresses of OpenAPI descriptions. */
  readonly openapi?: readonly string[];
  /** Files of typed functions or function tools. */
  readonly tools?: readonly string[];
  /** How many of these stand alone on the command line, without a flag: the first ones. */
  readonly operands?: number;
  /** The base address of the API of `openapi`. */
  readonly server?: string;
  /** Headers of requests, as `NAME: VALUE`. */
  readonly header?: readonly string[];
  /** Variables of commands, as `NAME=VALUE`, or `NAME` alone for one of this process. */
  readonly env?: readonly string[];
  /** Seconds that the start of a server and each call may take. */
  readonly timeout?: string;
  /** The folder of a new project; `true` for the working directory. */
  readonly save?: string | true;
  /** Whether `serve` takes over what has changed. */
  readonly accept?: boolean;
}

/** The kinds of tools that flags name. */
const GIVEN_KINDS = ["stdio", "url", "openapi", "tools"] as const;

/** A server, an API or a file that a flag names. */
export interface GivenTool {
  /** Whether it stands alone on the command line, without a flag. */
  readonly isOperand: boolean;
  readonly kind: (typeof GIVEN_KINDS)[number];
  /** The first part of the paths of its ops. */
  readonly name: string;
  /** The command, address or file. */
  readonly target: string;
}

/** What each flag takes. */
const TAKES: Readonly<Record<GivenTool["kind"], string>> = {
  stdio: 'a command, as in --stdio "node server.js"',
  url: "an address, as in --url https://example.com/mcp",
  openapi: "a file or an address, as in --openapi petstore.yaml",
  tools: "a file, as in --tools tools.ts",
};

const NAMED = /^([A-Za-z][A-Za-z0-9_-]{0,62})=(.+)$/s;
const ADDRESS = /^https?:\/\//i;

/** Whether a text is an address of the web. */
export const isAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * The flags as words of a command line that does the same. Values of headers and variables are left out, since they may be
 * secret.
 */
export const givenWords = (flags: GivenFlags): readonly string[] => [
  ...givenTargets(flags).flatMap(({ kind, text }) => [`--${kind}`, text]),
  ...(["server", "timeout"] as const).flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]])),
  ...(flags.header ?? []).flatMap((text) => ["--header", text.replace(/:.*$/s, ": ***")]),
  ...(flags.env ?? []).flatMap((text) => ["--env", text.replace(/=.*$/s, "")]),
];

/** Whether flags name any tools. */
export const namesTools = (flags: GivenFlags): boolean => givenTargets(flags).length > 0;

const givenTargets = (flags: GivenFlags) =>
  GIVEN_KINDS.flatMap((kind) =>
    (flags[kind] ?? []).map((text, at) => ({ kind, text, isOperand: kind === "tools" && at < (flags.operands ?? 0) })),
  );

/**
 * The tools that flags name, each with a name of its own: the one in front (`github=npx …`), or one that its command,
 * address or file gives.
 *
 * @throws UsageError for two of one name, or a command where an address belongs
 */
export function givenTools(flags: GivenFlags): readonly GivenTool[] {
  const given = givenTargets(flags).map(({ kind, text, isOperand }) => ({
    ...givenTool(kind, text.trim()),
    isOperand,
  }));
  const twice = given.find(({ name }, at) => given.findIndex((one) => one.name === name) < at);
  if (twice)
    throw new UsageError(
      `two of the flags name ${twice.name}: put a name of its own in front of one, as in --${twice.kind} other=${JSON.stringify(onLine(twice.target))}`,
    );
  return given;
}

function givenTool(kind: GivenTool["kind"], text: string): Omit<GivenTool, "isOperand"> {
  const [, given, named] = NAMED.exec(text) ?? [];
  const target = (named ?? text).trim();
  if (target === "") throw new UsageError(`--${kind} is empty: it takes ${TAKES[kind]}`);
  const [, misnamed] = given === undefined && !isAddress(text) ? (/^([\w.-]+)=./s.exec(text) ?? []) : [];
  if (misnamed !== undefined && (kind === "stdio" || kind === "url"))
    throw new UsageError(
      `--${kind} cannot be named ${onLine(misnamed)}: a name has letters, digits, _ and -, begins with a letter, and has at most 63 characters`,
    );
  if (kind === "stdio" && isAddress(target))
    throw new UsageError(`--stdio ${onLine(target)} is an address, and --stdio takes a command: use --url`);
  if (kind === "url" && !isAddress(target))
    throw new UsageError(
      `--url ${onLine(target)} is no http or https address; a command goes after --stdio, a file after --openapi or --tools`,
    );
  return { kind, name: given ?? NAMES[kind](target), target };
}

/** Words that say how a program is started, not which one it is. */
const RUNNERS =
  /^(?:npx|npm|pnpm|yarn|bunx?|deno|node|tsx|uvx?|pipx|python[\d.]*|docker|podman|exec|dlx|run|env|sh|bash)(?:\.(?:exe|cmd))?$/i;
/** Parts of a path that do not tell one server from another. */
const GENERIC =
  /^(?:index|main|server|dist|build|out|lib|src|bin|mcp|cli|api|www|app|node_modules|com?|org|net|\.{1,2}|)$/i;

const NAMES: Readonly<Record<GivenTool["kind"], (target: string) => string>> = {
  stdio: (command) => commandName(command),
  url: (address) => hostName(address),
  openapi: (target) => (isAddress(target) ? hostName(target) : fileName(target)),
  tools: (file) => fileName(file),
};

/** `npx -y @modelcontextprotocol/server-everything` is `everything`. */
function commandName(command: string): string {
  const words = command.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ""));
  const word = words.find((one) => !one.startsWith("-") && !RUNNERS.test(basename(one))) ?? "";
  const parts = word.replace(/(.)@[^/@]*$/, "$1").split(/[\\/]/);
  const part = parts.map(withoutExtension).findLast((one) => !GENERIC.test(one)) ?? "";
  return plainName(part.replace(/^(?:mcp[-_])?(?:server[-_])?|[-_](?:mcp(?:[-_]server)?|server)$/gi, "") || part);
}

/** `https://mcp.linear.app/mcp` is `linear`. */
function hostName(address: string): string {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  const labels = host.split(".");
  const own = labels.length > 1 && !/\d$/.test(host) ? labels.slice(0, -1) : [];
  return plainName(own.findLast((one) => !GENERIC.test(one)) ?? "");
}

const fileName = (file: string): string => plainName(withoutExtension(basename(file)));
const withoutExtension = (name: string): string => name.replace(/(.)\.[a-z]{1,4}$/i, "$1");

/** A text as a name; `tools` if nothing is left of it. */
function plainName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9]+/g, "_").replace(/^[_\d]+|_+$/g, "");
  return plain.slice(0, 60) || "tools";
}

/** Splits headers. @throws UsageError for a text that is no header */
export function givenHeaders({ header = [] }: GivenFlags): Readonly<Record<string, string>> {
  return Object.fromEntries(
    header.map((text) => {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:\s*(\S.*?)\s*$/s.exec(text) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError('--header takes NAME: VALUE, as in --header "Authorization: Bearer $TOKEN"');
      return [name, value] as const;
    }),
  );
}

/** Variables with their values, and names of variables that are passed on. */
interface GivenVariables {
  readonly env: Readonly<Record<string, string>>;
  readonly passed: readonly string[];
}

/** Splits variables. @throws UsageError for a text that is no variable */
export function givenVariables({ env = [] }: GivenFlags): GivenVariables {
  const split = env.map((text) => {
    const [, name, , value] = /^([A-Za-z_][A-Za-z0-9_]*)(=(.*))?$/s.exec(text) ?? [];
    if (name === undefined)
      throw new UsageError("--env takes NAME=VALUE, or NAME alone for a variable that is set: --env GITHUB_TOKEN");
    return { name, value };
  });
  const set = split.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return {
    env: Object.fromEntries(set),
    passed: split.flatMap(({ name, value }) => (value === undefined ? [name] : [])),
  };
}

/**
 * Checks the flags that belong to others.
 *
 * @throws UsageError for a flag without the tools that it is about, or with a project
 */
export function checkGiven(flags: GivenFlags & { readonly root?: string }): void {
  if (namesTools(flags)) {
    if (flags.root !== undefined)
      throw new UsageError("--root names a project, and the other flags name tools without one: leave one of them out");
    return;
  }
  const stray = (["header", "env", "server", "timeout", "save", "accept"] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (stray)
    throw new UsageError(
      `--${stray} is for tools without a project: name them with --stdio, --url, --openapi or --tools`,
    );
}

/** The time limit of servers and calls in seconds. @throws UsageError for a text that is no number */
export function givenTimeout({ timeout }: GivenFlags): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = Number(/^(\d+(?:\.\d+)?)s?$/.exec(timeout)?.[1]);
  if (seconds > 0) return seconds;
  throw new UsageError(`--timeout ${onLine(timeout)} is no number of seconds: write one, as in --timeout 120`);
}

const RECEIVERS = { env: ["stdio"], header: ["url", "openapi"], server: ["openapi"] } as const;

/**
 * Checks that a header, variable or base address is for one server only, since it may be a secret of that one.
 *
 * @throws UsageError if it would go to several, or to none
 */
export function checkReceivers(flags: GivenFlags, given: readonly GivenTool[]): void {
  for (const flag of ["env", "header", "server"] as const) {
    if (flags[flag] === undefined) continue;
    const kinds: readonly string[] = RECEIVERS[flag];
    const receivers = given.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
    const takers = kinds.map((kind) => `--${kind}`).join(" or ");
    if (receivers.length === 0) throw new UsageError(`--${flag} is about what ${takers} names: there is none`);
    if (receivers.length > 1)
      throw new UsageError(
        `--${flag} is for one of ${receivers.join(" and ")}, and does not say which: name one of them alone, or make a project with --save and set it there`,
      );
  }
}
