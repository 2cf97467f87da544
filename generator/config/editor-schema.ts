/**
 * Makes the JSON Schema of `toolwright.yaml` for editors: the shape of the configuration, with one sentence per key.
 * `npm run build` writes it to `schema.json`, which the package ships; a project names it in the first line of its file.
 */

import { CONFIG_SCHEMA, SOURCE_KEYS } from "./schema.js";

/** Descriptions of how tokens are got, below a path. */
const aboutConnection = (path: string): Readonly<Record<string, string>> => ({
  [`${path}.mode`]: "Whose tokens it is called with: those of toolwright, of one account, or of each caller.",
  [`${path}.issuer`]: "The authorization server, as it writes itself in its metadata.",
  [`${path}.client`]: "How the authorization server knows toolwright.",
  [`${path}.client.id`]: "Id of the client.",
  [`${path}.client.secret`]: "Its secret, such as ${NAME}; absent for a public client.",
  [`${path}.client.metadata_url`]: "auto: the document below public_url names the client, where the server takes one.",
  [`${path}.client.register`]: "Whether toolwright registers itself where it has no other client.",
  [`${path}.scope`]: "Scopes with spaces between them.",
  [`${path}.resource`]: "What the token is for (RFC 8707). Default: the url of an MCP server; none for an API.",
  [`${path}.audience`]: "Name of what the token is for, of token exchange.",
  [`${path}.authorize_params`]: "Further parameters of the authorization request.",
});

/** One sentence per key: `a.b` is a member, `a[]` an item of a list, `a.*` a member of any name. */
const ABOUT: Readonly<Record<string, string>> = {
  include: "Files merged under this one, left to right: maps merge, lists and scalars replace.",
  plugins:
    "Modules that add kinds of sources and emitters: files relative to definitions/ that begin with ./ or ../, or packages. Loaded by the generator only.",
  use: "Packs that the package ships, read like any other source.",
  sources:
    "Where tool definitions come from. Paths are relative to definitions/; * stands for any characters in a name.",
  "sources[].chat-tools": "Function tools in OpenAI's form: a .ts file, read without running it, or .json.",
  "sources[].functions": "TypeScript files whose exported, documented functions are tools and their own handlers.",
  "sources[].graphql": "GraphQL schemas, SDL or the JSON of an introspection: queries are reads, mutations writes.",
  "sources[].mcp": "Snapshots of MCP servers: tools/list answers, one pack a file. Written by toolwright snapshot.",
  "sources[].module":
    "Modules that export tools of Zod, Valibot, ArkType, TypeBox, the AI SDK, LangChain or the MCP SDK. Run by generate, in a process that may only read.",
  "sources[].openapi": "Swagger 2.0 and OpenAPI 3.0 to 3.2 descriptions, one op per operation.",
  "sources[].exports": "Names of the arrays to read. Default: every exported array of function tools.",
  "sources[].pack": "First segment of the ops. Default: the name of the file.",
  "sources[].allow_empty": "Whether a file of which no tool is read is no error. Default: false.",
  "sources[].kind": "For tools whose name does not say whether they read or write.",
  "sources[].handlers": "Module that exports `handlers`, typed by generated/handlers.ts.",
  "sources[].server": "Base URL of the API. Default: the description's own.",
  "sources[].url": "Address of a GraphQL API.",
  "sources[].depth": "Levels of objects that a GraphQL op asks for. Default: 2.",
  "sources[].selections": "Selection sets of a GraphQL API, such as `id name`, by the name of the query or mutation.",
  "sources[].send_defaults":
    "Whether defaults of optional parameters are sent. Default: false, only what a call gives.",
  "sources[].idempotency": "How the API takes idempotency keys of writes. With it, a write may be sent again.",
  "sources[].idempotency.header": "The header, such as Idempotency-Key.",
  "sources[].auth": "Credentials of the API, as variables of the environment, such as the bearer token.",
  "sources[].auth.bearer": "Bearer token.",
  "sources[].auth.basic": "user:password.",
  "sources[].auth.headers": "Headers by name.",
  "sources[].auth.query": "Query parameters by name.",
  ...aboutConnection("sources[].auth"),
  "sources[].options": "Options of a kind that a plugin adds; the plugin says which.",
  "sources[].*": "A kind that a plugin adds: the pattern of its files.",
  packs: "What is said of a pack. entities (with plurals) and topics switch on the rules that read ops from names.",
  "packs.*.summary": "One sentence for the directory of packs.",
  "packs.*.entities": "Singular and plural of the entities in names of tools.",
  "packs.*.topics": "First words of names that become a segment of the op.",
  "packs.*.target": "Whether its ops act on one project or on all.",
  emitters: "Options of emitters that plugins add, by the name of the emitter; the plugin says which.",
  vocabulary: "Verbs of your own, and whether they read or write.",
  "vocabulary.verbs": "Verbs to their kind.",
  ops: "What is said of one tool, by its name or <pack>/<name>; wins over names and annotations.",
  "ops.*.op": "The op: a dotted path that begins with a pack, which may be another one than that of the source.",
  "ops.*.kind": "read, or write: writes need to be allowed.",
  "ops.*.access": "What a caller needs.",
  "ops.*.target": "Whether it acts on one project or on all.",
  "ops.*.project_from": "The argument that names the project.",
  "ops.*.aliases": "Other paths for this op.",
  "ops.*.arguments": "Other names for arguments: alias to argument.",
  "ops.*.enums":
    "All values that an argument takes, where its schema lists none: argument to values. For a list: the values of its items.",
  "ops.*.notes": "Sentences added to the help.",
  "ops.*.examples": "Arguments of example calls; each must fit the input.",
  "ops.*.constraints": "Rules across arguments.",
  "ops.*.constraints[].at_least_one_change": "At least one of these arguments is given.",
  "ops.*.constraints[].at_least_one_change.of": "The arguments. Default: all optional ones.",
  "ops.*.constraints[].at_least_one_change.except": "Optional arguments that do not count.",
  "ops.*.constraints[].one_of": "Groups of arguments, of which one group is given.",
  "ops.*.constraints[].requires": "An argument that needs others.",
  "ops.*.constraints[].requires.argument": "The argument.",
  "ops.*.constraints[].requires.equals": "The value with which it needs them. Default: any.",
  "ops.*.constraints[].requires.needs": "The arguments that it needs.",
  "ops.*.destructive": "Whether it may delete or overwrite.",
  "ops.*.idempotent": "Whether repeating a call changes nothing more.",
  "ops.*.open_world": "Whether it reaches systems outside your control.",
  "ops.*.deadline_ms": "Time for one call. Read at run time.",
  "ops.*.check":
    "The op that a dry run reads first, with those of its arguments that the call has, to see whether it exists. Default: the op get of the same entity, or GET of the same address or of what it is below. Read at run time.",
  "ops.*.dry_run": "Whether the handler can say what it would do. Read at run time.",
  "ops.*.hidden": "Callable, but listed nowhere. Read at run time.",
  "ops.*.learn":
    "What is learned from its calls: on, off, or a map of both parts. Default: as its server. Read at run time.",
  "ops.*.learn.types": "Whether the type of its results is learned.",
  "ops.*.learn.words": "Whether the words are learned by which callers look for it.",
  policies: "Pinned policies by op: they replace what is read from the description.",
  "policies.*.do": "Advice.",
  "policies.*.dont": "Guards.",
  "policies.*.edge_cases": "Edge cases.",
  "policies.*.source_hash":
    "Digest of the description that the pin was made from; toolwright check prints the current one.",
  synonyms: "Words that search takes for each other.",
  budget: "Tokens that check allows; no budget unless configured.",
  "budget.tool": "Of one tool's definition.",
  "budget.help_short": "Of one op's short help.",
  "budget.exposed": "Of all tools that a client is shown.",
  breaking: "How toolwright breaking judges its findings.",
  "breaking.profile": "Which findings count: wire, code and wire, or all.",
  "breaking.fail_on": "From which level on the command ends with 1.",
  "breaking.level": "Another level for a rule, or off.",
  "breaking.ignore":
    "Rule to ops (* stands for any segment) whose findings are left out; one that matches nothing is an error.",
  diagnostics:
    "Other levels for diagnostics, or off: a rule to its level for all tools, or <pack>/<tool> or <pack>/<op> (* stands for any characters) to a map of rules. An error stays one.",
  "diagnostics.*": "A level, or a map of rules to levels.",
  reserved: "Tombstones: names and ops of removed tools, which stay reserved.",
  "reserved[].tool": "Name of the removed tool.",
  "reserved[].op": "Its op.",
  "reserved[].since": "Day from which on its end is announced.",
  "reserved[].sunset": "Day from which on it may be gone. Without it, its removal is a warning.",
  "reserved[].use": "The op to use instead.",
  surfaces:
    "What else is emitted to generated/surfaces/: skill (SKILL.md and references for agents), openai and anthropic (tool lists), typescript and python (clients).",
  servers: "Upstream MCP servers by name; toolwright snapshot NAME writes servers/NAME.json.",
  "servers.*.type": "A process, or Streamable HTTP.",
  "servers.*.url": "Address of a server over Streamable HTTP.",
  "servers.*.headers": "Sent with every request; values may be variables of the environment.",
  "servers.*.answer_bytes":
    "Bytes of an answer; a larger one is an error. Default: 4194304. Nobody else is answered while a large answer is parsed, about 15 ms for each MB.",
  "servers.*.auth": "How toolwright gets OAuth tokens for it.",
  ...aboutConnection("servers.*.auth"),
  "servers.*.command": "Program that is the server, over stdio.",
  "servers.*.args": "Its arguments.",
  "servers.*.env": "Environment of the process, beside a few variables that every process needs.",
  "servers.*.cwd": "Folder in which its command runs, relative to the project's. Default: the project's.",
  "servers.*.tools": "The tools that are offered: there are no ops of the others. Default: all.",
  "servers.*.tools.only": "Exact names of the tools that are offered.",
  "servers.*.tools.except": "Exact names of tools that are not offered, also where `only` names them.",
  "servers.*.timeout": "Seconds that a call, a connection or a reading of its tools may take. Default: 30.",
  "servers.*.enabled": "false: left alone unless it is named.",
  "servers.*.lazy": "Whether it is connected on its first call only.",
  "servers.*.snapshot": "Reading of its tools on a schedule, by one of the servers of a state database.",
  "servers.*.snapshot.every":
    "How often its tools are compared with the snapshot: a number and s, m, h or d, from 1m to 365d, such as 6h. Differences are logged and shown in the console; nothing is written to definitions/.",
  "servers.*.snapshot.principal":
    "At a server whose auth has the mode per_user: the key or user with whose connection it is read. Default: the owner of the machine.",
  "servers.*.idempotency": "How the server takes idempotency keys of writes. With it, a write may be sent again.",
  "servers.*.idempotency.argument": "The argument, of tools that have it.",
  "servers.*.learn": "What is learned from its calls: on, off, or a map of both parts. Default: as learn.",
  "servers.*.learn.types": "Whether types of results are learned.",
  "servers.*.learn.words": "Whether the words are learned by which callers look for its ops.",
  "servers.*.sanitize": "Whether its answers are wrapped as foreign content.",
  expose: "What clients are shown.",
  "expose.gateway": "false: every op is a tool of its own, and the gateway tools are not shown.",
  "expose.run": "Whether the tool run is shown. Default: as expose.gateway.",
  "expose.hot": "Patterns of ops (* stands for any characters) that are tools of their own too, within budget.exposed.",
  "expose.signatures": "Tokens for the signatures in run's description.",
  "expose.answer_bytes": "Most bytes of an answer of tool_help; the rest comes page by page.",
  "expose.run_preview":
    "Plans of programs. writes: run takes preview, and a program of which rules ask about a write waits with its plan. always: every program that writes waits with its plan. never: neither.",
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
  "topics[].pattern":
    "Topics that it is for; * stands for characters other than colons, ** for any. The first pattern that fits decides.",
  "topics[].file": "File to which notes are appended.",
  access: "Who may do what without a key.",
  "access.allow_write": "Whether ops of the kind write run.",
  "access.local": "Access level of local callers without a key.",
  "access.http": "Whether HTTP needs keys: auto needs them off loopback.",
  "access.rate": "Calls a key may make.",
  "access.rate.burst": "Calls at once.",
  "access.rate.per_second": "Further calls each second.",
  "access.oauth": "Sign-in with tokens of identity providers.",
  "access.oauth.resource": "URL of the endpoint, which tokens must name as their audience.",
  "access.oauth.issuers": "Identity providers.",
  "access.oauth.issuers[].issuer": "URL as in the claim iss.",
  "access.oauth.issuers[].tokens": "How tokens are checked (default: jwt).",
  "access.oauth.issuers[].introspection": "With tokens: introspection.",
  "access.oauth.issuers[].introspection.client_id": "Client that asks the provider.",
  "access.oauth.issuers[].introspection.client_secret": "Its secret, such as ${NAME}.",
  "access.oauth.issuers[].introspection.cache": "How long an answer is kept (default: 30s, at most 1h).",
  "access.oauth.issuers[].algorithms": "Accepted signatures (default: ES256, RS256).",
  "access.oauth.issuers[].clock_skew": "Tolerated difference of clocks (default: 30s, at most 5m).",
  "access.oauth.issuers[].jwks": "Keys of the provider.",
  "access.oauth.issuers[].jwks.cache": "How long they are kept (default: 5m, at most 24h).",
  "access.oauth.issuers[].jwks.cooldown":
    "Least time between two requests for an unknown key (default: 30s, at most 1h).",
  "access.oauth.issuers[].principal": "Id of a user (default: {iss}|{sub}).",
  "access.oauth.issuers[].scopes_supported": "Scopes that clients are told of.",
  "access.oauth.issuers[].login": "The client as which people log in at the console.",
  "access.oauth.issuers[].login.client_id": "Its id at the provider.",
  "access.oauth.issuers[].login.client_secret": "Its secret, such as ${NAME}; absent for a public client.",
  "access.oauth.issuers[].login.label": "What the button says after Log in with (default: the host of the issuer).",
  "access.oauth.issuers[].login.scopes": "Scopes asked for beside openid (default: scopes_supported).",
  "access.oauth.issuers[].grants": "What users may do: the union of what matches.",
  "access.oauth.issuers[].grants[].when": "Claims and their values, which all must match.",
  "access.oauth.issuers[].grants[].level": "Access level.",
  "access.oauth.issuers[].grants[].projects": "Projects (default: all).",
  "access.oauth.issuers[].grants[].packs": "Patterns of packs (default: all).",
  "access.oauth.issuers[].grants[].ops": "Patterns of ops (default: all).",
  secrets: "Where ${NAME} and the secrets of handlers are looked up.",
  "secrets.from": "Places in order: env, file (.onetool/secrets.yaml), dir: FOLDER, exec: PROGRAM {name}.",
  state_encryption: "Keys that encrypt tokens, and the answers of writes with idempotency keys, in the state database.",
  "state_encryption.keys": "The first encrypts, all decrypt.",
  "state_encryption.keys[].id": "Name of the key.",
  "state_encryption.keys[].from": "32 bytes in base64 or hex, such as ${NAME}.",
  "secrets.names": "Secrets of handlers that a server has a program tell at its start.",
  public_url: "URL at which clients reach the server, such as that of a proxy. Default: that of its address.",
  http: "Serving over HTTP behind proxies, and without.",
  "http.allowed_hosts": "Host names that requests may use, beside those of the address and of public_url.",
  "http.trusted_proxies": "Addresses and networks of proxies whose X-Forwarded-For is believed.",
  "http.drain": "What happens at the end of the server, in ms.",
  "http.drain.delay_ms": "Time for which /readyz answers 503 while requests are still answered.",
  "http.drain.grace_ms": "Time for calls under way after that.",
  "http.tls": "Serve HTTPS; the files are read again when they change.",
  "http.tls.cert": "PEM file of the certificate and those above it; a path from the project root.",
  "http.tls.key": "PEM file of its private key.",
  metrics: "Who may read /metrics over HTTP: no caller, callers with a key, or every caller.",
  state: "Database: empty for .onetool/state.db, or postgres://…. A map sets more of PostgreSQL.",
  "state.url": "As state. Default: that of the variable TOOLWRIGHT_STATE.",
  "state.pool": "Most connections of a server to PostgreSQL, without the one that listens. Default: 10.",
  "state.listen_url":
    "PostgreSQL URL for the connection that listens, where state.url leads to a pooler in transaction mode. Default: state.url.",
  output: "When a result is stored instead of printed, for how long (s), and how much of it is shown.",
  "output.max_inline_size":
    "Bytes of a result that are printed; a larger one is stored. Without it, tool_exec and tool_batch print 24000.",
  "output.result_ttl": "Seconds for which a stored result is kept.",
  "output.preview_lines": "Lines of a stored result that are shown.",
  "output.preview_bytes": "Bytes of a stored result that are shown.",
  stats: "Statistics, and how long they are kept.",
  "stats.enabled": "Whether calls are recorded.",
  "stats.retention_days": "Days for which they are kept.",
  sanitize: "Whether answers are wrapped as foreign content: by default, and by op.",
  "sanitize.default": "For every op that ops does not name.",
  "sanitize.ops": "By op.",
  engine: "Has no effect: Python runs on CPython.",
  learn: "What is learned from calls: on, off, or a map of both parts. Needs stats.enabled.",
  "learn.types": "Whether the types of results are learned, for ops that declare none. No values are stored.",
  "learn.words":
    "Whether the words are learned by which callers look for ops. No queries are stored. init switches it on.",
  "learn.callers":
    "Callers that must have used a word before learn proposes it for all. Default: 2; 1 while all words are of calls without a key.",
  trust: "local: TypeScript extension tools may run.",
  limits: "Times in ms, sizes in bytes or MB, counts.",
  "limits.cpu_ms": "CPU time of a run.",
  "limits.wall_ms": "Time of a run.",
  "limits.call_timeout_ms": "Time of a call.",
  "limits.memory_mb": "Memory of a run.",
  "limits.recursion": "Depth of recursion in a run.",
  "limits.host_calls": "Calls of ops in a run.",
  "limits.parallel_calls": "Calls of a run at the same time.",
  "limits.print_bytes": "Printed text of a run.",
  "limits.result_bytes": "Result of a run, a resource or a prompt.",
  "limits.result_depth": "Levels in the value of a run.",
  "limits.code_bytes": "Code of a run.",
  "limits.runs": "Runs at the same time.",
  "limits.queue": "Runs that wait.",
  "limits.instances": "Python processes at the same time, 200 MB each; 0: as many as runs. Half of the memory bounds them.",
  "limits.instance_runs": "Runs after which a Python process is replaced; 1: each run has a new one.",
  "limits.http": "Limits of HTTP.",
  "limits.http.body_bytes": "Body of a request.",
  "limits.http.in_flight": "Requests at the same time.",
  "limits.http.connections": "Open connections.",
  "limits.http.header_ms": "Time to send the headers of a request.",
  "limits.http.body_ms": "Time to send the body of a request.",
  "limits.http.keep_alive_ms": "Time without a request after which a connection is closed.",
  "limits.http.requests_per_connection": "Requests of one connection.",
  "limits.socket": "Limits of the Unix socket.",
  "limits.socket.line_bytes": "A request; a line on stdio too.",
  "limits.socket.response_bytes": "An answer.",
  "limits.socket.connections": "Open connections.",
  "limits.socket.strangers": "Open connections that have sent no live key.",
  "limits.socket.in_flight": "Requests at the same time on a connection.",
  "limits.socket.bad_keys": "Refused keys within a minute, after which a connection is closed.",
  "limits.socket.first_line_ms": "Time to the first line.",
  "limits.socket.idle_ms": "Time without a line.",
  "limits.socket.stalled_ms": "Time for which a client may not read.",
  "limits.socket.timeout_ms": "Time of a call that names none.",
  approvals: "Who may decide about calls that wait for a person, and who is told of them.",
  "approvals.own": "Whether an admin may decide in the console about what their own key has asked for. Default: false.",
  "approvals.webhook": "Receives a signed request about calls that wait, as Standard Webhooks says.",
  "approvals.webhook.url": "URL of the receiver.",
  "approvals.webhook.secret": "Name of the secret that signs, such as ${WEBHOOK_SECRET}.",
  approve: "Writes that wait for the approval of a person; the first rule that applies decides.",
  "approve[].ops": "Patterns of ops, such as onto.*.delete.",
  "approve[].kind": "write: all writes.",
  "approve[].destructive": "Whether the ops may delete or overwrite.",
  "approve[].when": "Schemas of arguments by name, or a JSON Schema of an object. Default: any arguments.",
  "approve[].unless": "Calls to which the rule does not apply.",
  "approve[].unless.callers": "Ids of callers, such as local.",
  "approve[].by": "Where a person may decide: console, cli, elicitation. Default: console and cli.",
  "approve[].expires": "How long a call waits: a number and s, m, h or d, up to 7d. Default: 24h.",
  ledger: "How long idempotency keys are remembered.",
  "ledger.keep_hours": "Hours for which an answer is kept at least.",
  web: "The web client: search provider, private hosts that may be reached.",
  "web.provider": "Search provider.",
  "web.allow_private": "Private hosts and networks that may be reached.",
  llm: "An endpoint in OpenAI's form.",
  "llm.url": "Base address of the endpoint.",
  "llm.model": "Name of the model.",
  docs: "The documentation site: address, title, guides, slugs of packs.",
  "docs.base":
    "Address at which the site is served. Without it, pages name no permanent address, there is no sitemap, and `ot.help` links to no page.",
  "docs.guides": "Folder of Markdown pages that stand beside the reference; a path from the project root.",
  "docs.slugs": "Folder of a pack below the address, by pack. Default: its name.",
  "docs.title": "Title of the site.",
  log: "Level, and a file instead of standard error.",
  "log.level": "Least severe level that is logged.",
  "log.file": "Path from the project root. Default: standard error.",
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
  // Without plugins, a key of a source that is not known is a typing error.
  if: { required: ["plugins"] },
  else: { properties: { sources: { items: { propertyNames: { enum: [...SOURCE_KEYS] } } } } },
});

/** Paths of {@link ABOUT} without a key in the schema. */
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
