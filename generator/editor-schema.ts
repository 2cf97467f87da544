/**
 * The JSON Schema of `toolwright.yaml` for editors: the shape that the configuration is checked against, with a sentence a key.
 * `npm run build` writes it to `schema.json`, which the package ships; a project names it in the first line of the file.
 */

import { CONFIG_SCHEMA } from "./config-schema.js";

/** A sentence a key: `a.b` is a member, `a[]` an item of a list, `a.*` a member of any name. */
const ABOUT: Readonly<Record<string, string>> = {
  include: "Files merged under this one, left to right: maps merge, lists and scalars replace.",
  use: "Packs that the package ships, read like any other source.",
  sources:
    "Where tool definitions come from. Paths are relative to definitions/; * stands for any characters in a name.",
  "sources[].chat-tools": "Function tools in OpenAI's form: a .ts file, read without running it, or .json.",
  "sources[].functions": "TypeScript files whose exported, documented functions are tools and their own handlers.",
  "sources[].mcp": "Snapshots of MCP servers: tools/list answers, one pack a file. Written by toolwright snapshot.",
  "sources[].openapi": "OpenAPI 3.0 or 3.1 descriptions, one op an operation.",
  "sources[].exports": "Names of the arrays to read. Default: every exported array of function tools.",
  "sources[].pack": "First segment of the ops. Default: the name of the file.",
  "sources[].kind": "For tools whose name does not say whether they read or write.",
  "sources[].handlers": "Module that exports `handlers`, typed by generated/handlers.ts.",
  "sources[].server": "Base URL of the API. Default: the description's own.",
  "sources[].auth": "Credentials of the API, as variables of the environment, such as the bearer token.",
  packs: "What is said of a pack. entities (with plurals) and topics switch on the rules that read ops from names.",
  vocabulary: "Verbs of your own, and whether they read or write.",
  ops: "What is said of one tool, by its name or <pack>/<name>; wins over names and annotations.",
  "ops.*.op": "The op: a dotted path that begins with the pack.",
  "ops.*.kind": "read, or write: writes need to be allowed.",
  "ops.*.access": "What a caller needs.",
  "ops.*.target": "Whether it acts on one project or on all.",
  "ops.*.project_from": "The argument that names the project.",
  "ops.*.aliases": "Other paths for this op.",
  "ops.*.arguments": "Other names for arguments: alias to argument.",
  "ops.*.notes": "Sentences added to the help.",
  "ops.*.examples": "Arguments of example calls; each must fit the input.",
  "ops.*.constraints": "Rules across arguments.",
  "ops.*.deadline_ms": "Time for one call. Read at run time.",
  "ops.*.dry_run": "Whether the handler can say what it would do. Read at run time.",
  "ops.*.hidden": "Callable, but listed nowhere. Read at run time.",
  policies: "Pinned policies by op: they replace what is read from the description.",
  "policies.*.source_hash":
    "Digest of the description that the pin was made from; toolwright check prints the current one.",
  synonyms: "Words that search takes for each other.",
  budget: "Tokens that check allows; no budget unless configured.",
  "budget.tool": "Of one tool's definition.",
  "budget.help_short": "Of one op's short help.",
  "budget.exposed": "Of all tools that a client is shown.",
  breaking: "What toolwright breaking makes of its findings.",
  "breaking.profile": "Whose trouble counts: wire, code and wire, or all.",
  "breaking.fail_on": "From which level on the command ends with 1.",
  "breaking.level": "Another level for a rule, or off.",
  "breaking.ignore":
    "Rule to ops (* stands for any segment) whose findings are left out; one that matches nothing is an error.",
  reserved: "Tombstones: names and ops of removed tools, which stay reserved.",
  surfaces:
    "What else is emitted to generated/surfaces/: skill (SKILL.md and references for agents), openai and anthropic (tool lists), typescript and python (clients).",
  servers: "Upstream MCP servers by name; toolwright snapshot NAME writes servers/NAME.json.",
  "servers.*.type": "A process, or Streamable HTTP.",
  "servers.*.headers": "Sent with every request; values may be variables of the environment.",
  "servers.*.env": "Environment of the process, beside a few variables that every process needs.",
  "servers.*.timeout": "Seconds.",
  "servers.*.enabled": "false: left alone unless it is named.",
  "servers.*.lazy": "Whether it is connected on its first call only.",
  "servers.*.sanitize": "Whether its answers are wrapped as foreign content.",
  expose: "What clients are shown.",
  "expose.gateway": "false: every op is a tool of its own, and the gateway tools are not shown.",
  "expose.run": "Whether the tool run is shown. Default: as expose.gateway.",
  "expose.hot": "Patterns of ops (* stands for any characters) that are tools of their own too, within budget.exposed.",
  "expose.signatures": "Tokens for the signatures in run's description.",
  "expose.resources":
    "Ops that only read, as resources: by address, or by a template such as notes://{id}, whose variables are arguments.",
  "expose.resources.*.op": "The op whose result it is.",
  "expose.resources.*.name": "What clients call it. Default: the op.",
  "expose.resources.*.description": "Default: the op's summary.",
  "expose.resources.*.mime": "Type of a text. Default: text/plain, or application/json for what is no text.",
  "expose.prompts": "Ops that only read, as prompts: by name. Arguments are the op's, its result is the message.",
  "expose.prompts.*.op": "The op whose result it is.",
  "expose.prompts.*.description": "Default: the op's summary.",
  aliases: "Short names for ops in run(): ws: brave.web_search.",
  projects: "Folders by name, for proj.",
  topics: "Where notes go, by topic.",
  access: "Who may do what without a key.",
  "access.allow_write": "Whether ops of the kind write run.",
  "access.local": "What local callers may do.",
  "access.http": "Whether HTTP needs keys: auto needs them off loopback.",
  "access.rate": "Calls a key may make.",
  state: "Database: empty for .onetool/state.db, or postgres://….",
  output: "When a result is stored instead of printed, for how long (s), and how much of it is shown.",
  stats: "Statistics, and how long they are kept.",
  sanitize: "Whether answers are wrapped as foreign content: by default, and by op.",
  engine: "What runs Python.",
  trust: "local: TypeScript extension tools may run.",
  limits: "Times in ms, sizes in bytes or MB, counts.",
  ledger: "How long idempotency keys are remembered.",
  web: "The web client: search provider, private hosts that may be reached.",
  llm: "An endpoint in OpenAI's form.",
  docs: "The documentation site: base address, slugs of packs.",
  log: "Level, and a file instead of standard error.",
};

type Node = Readonly<Record<string, unknown>>;

const WHOLE: Node = { ...CONFIG_SCHEMA };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema, draft-07, as a value. */
export const editorSchema = (): Node => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "toolwright.yaml",
  description: "Declares a toolwright project.",
  ...described(WHOLE, ""),
});

/** Paths of {@link ABOUT} that no key has. */
export const unknownPaths = (): readonly string[] => {
  const known = new Set<string>();
  visit(WHOLE, "", (path) => known.add(path));
  return Object.keys(ABOUT).filter((path) => !known.has(path));
};

/** Calls back with the path of every key, at any depth. */
function visit(node: Node, path: string, see: (path: string) => void): void {
  if (path !== "") see(path);
  for (const [key, member] of childrenOf(node)) visit(member, joined(path, key), see);
}

/** The shapes below one: by key, `*` for any key, `[]` for items. */
function childrenOf({ properties, additionalProperties, items }: Node): readonly (readonly [string, Node])[] {
  const named = isNode(properties) ? Object.entries(properties) : [];
  const all: readonly (readonly [string, unknown])[] = [...named, ["*", additionalProperties], ["[]", items]];
  return all.flatMap(([key, member]) => (isNode(member) ? [[key, member] as const] : []));
}

const joined = (path: string, key: string): string =>
  path === "" ? key : key === "[]" ? `${path}[]` : `${path}.${key}`;

function described(node: Node, path: string): Node {
  const children = new Map(childrenOf(node).map(([key, member]) => [key, described(member, joined(path, key))]));
  const { properties, additionalProperties, items, ...rest } = node;
  const named = isNode(properties) ? Object.keys(properties).map((key) => [key, children.get(key)] as const) : [];
  const about = ABOUT[path];
  return {
    ...(about === undefined ? {} : { description: about }),
    ...rest,
    ...(isNode(properties) ? { properties: Object.fromEntries(named) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties: children.get("*") ?? additionalProperties }),
    ...(items === undefined ? {} : { items: children.get("[]") }),
  };
}
