/** Where definitions come from and what is said of them: the keys that the generator reads. */

import { ACCESS_LEVELS, CONNECTION, KINDS, SHIPPED_PACKS, TARGETS } from "./parts.js";
import * as s from "./setting.js";

/** Levels of a diagnostic. */
const DIAGNOSTIC_LEVELS = ["error", "warning", "info", "off"] as const;
/** A level of a rule. */
export const RULE_LEVEL = s.choice(DIAGNOSTIC_LEVELS);
/** Longest delay of a timer, in milliseconds. */
const MAX_TIMER_MS = 2_147_483_647;

/** The keys that the generator reads. */
export const DEFINITION_SETTINGS = {
  include: s.list(s.filled(), "Files merged under this one, left to right: maps merge, lists and scalars replace."),
  plugins: s.list(
    s.filled(),
    "Modules that add kinds of sources, emitters and features: files relative to definitions/ that begin with ./ or ../, or packages. Servers load those of features only, with trust: local.",
    [],
  ),
  use: s.list(s.choice(SHIPPED_PACKS), "Packs that the package ships, read like any other source.", ["ot", "proj"]),
  sources: s.required(
    s.list(
      s.openEntry("A kind that a plugin adds: the pattern of its files.", {
        "chat-tools": s.text("Function tools in OpenAI's form: a .ts file, read without running it, or .json."),
        functions: s.text("TypeScript files whose exported, documented functions are tools and their own handlers."),
        graphql: s.text("GraphQL schemas, SDL or the JSON of an introspection: queries are reads, mutations writes."),
        mcp: s.text("Snapshots of MCP servers: tools/list answers, one pack a file. Written by toolwright snapshot."),
        module: s.text(
          "Modules that export tools of Zod, Valibot, ArkType, TypeBox, the AI SDK, LangChain or the MCP SDK. Run by generate, in a process that may only read.",
        ),
        openapi: s.text("Swagger 2.0 and OpenAPI 3.0 to 3.2 descriptions, one op per operation."),
        exports: s.list(s.text(), "Names of the arrays to read. Default: every exported array of function tools."),
        pack: s.text("First segment of the ops. Default: the name of the file."),
        allow_empty: s.flag("Whether a file of which no tool is read is no error. Default: false."),
        kind: s.choice(KINDS, "For tools whose name does not say whether they read or write."),
        handlers: s.text("Module that exports `handlers`, typed by generated/handlers.ts."),
        server: s.expanded(s.text("Base URL of the API. Default: the description's own.")),
        url: s.text("Address of a GraphQL API."),
        depth: s.integer([0, 8], "Levels of objects that a GraphQL op asks for. Default: 2."),
        selections: s.map(
          s.text(),
          "Selection sets of a GraphQL API, such as `id name`, by the name of the query or mutation.",
        ),
        send_defaults: s.flag(
          "Whether defaults of optional parameters are sent. Default: false, only what a call gives.",
        ),
        idempotency: s.group("How the API takes idempotency keys of writes. With it, a write may be sent again.", {
          header: s.required(s.filled("The header, such as Idempotency-Key.")),
        }),
        auth: s.expanded(
          s.group("Credentials of the API, as variables of the environment, such as the bearer token.", {
            bearer: s.secret(s.text("Bearer token.")),
            basic: s.secret(s.text("user:password.")),
            headers: s.secret(s.map(s.text(), "Headers by name.")),
            query: s.secret(s.map(s.text(), "Query parameters by name.")),
            ...CONNECTION,
          }),
        ),
        options: s.map(s.anything(), "Options of a kind that a plugin adds; the plugin says which."),
      }),
      "Where tool definitions come from. Paths are relative to definitions/; * stands for any characters in a name.",
    ),
  ),
  packs: s.map(
    s.entry({
      summary: s.text("One sentence for the directory of packs."),
      entities: s.map(s.text(), "Singular and plural of the entities in names of tools."),
      topics: s.list(s.text(), "First words of names that become a segment of the op."),
      target: s.choice(TARGETS, "Whether its ops act on one project or on all."),
    }),
    "What is said of a pack. entities (with plurals) and topics switch on the rules that read ops from names.",
    {},
  ),
  emitters: s.map(
    s.map(s.anything()),
    "Options of emitters that plugins add, by the name of the emitter; the plugin says which.",
    {},
  ),
  vocabulary: s.group("Verbs of your own, and whether they read or write.", {
    verbs: s.map(s.choice(KINDS), "Verbs to their kind.", {}),
  }),
  ops: s.map(
    s.entry({
      op: s.text("The op: a dotted path that begins with a pack, which may be another one than that of the source."),
      kind: s.choice(KINDS, "read, or write: writes need to be allowed."),
      access: s.choice(ACCESS_LEVELS, "What a caller needs."),
      target: s.choice(TARGETS, "Whether it acts on one project or on all."),
      project_from: s.text("The argument that names the project."),
      aliases: s.list(s.text(), "Other paths for this op."),
      arguments: s.map(s.text(), "Other names for arguments: alias to argument."),
      enums: s.map(
        s.list(s.anything()),
        "All values that an argument takes, where its schema lists none: argument to values. For a list: the values of its items.",
      ),
      notes: s.list(s.text(), "Sentences added to the help."),
      examples: s.list(s.map(s.anything()), "Arguments of example calls; each must fit the input."),
      constraints: s.list(
        s.entry({
          at_least_one_change: s.group("At least one of these arguments is given.", {
            except: s.list(s.text(), "Optional arguments that do not count."),
            of: s.list(s.text(), "The arguments. Default: all optional ones."),
          }),
          one_of: s.list(s.list(s.text()), "Groups of arguments, of which one group is given."),
          requires: s.group("An argument that needs others.", {
            argument: s.required(s.text("The argument.")),
            equals: s.anything("The value with which it needs them. Default: any."),
            needs: s.required(s.list(s.text(), "The arguments that it needs.")),
          }),
        }),
        "Rules across arguments.",
      ),
      destructive: s.flag("Whether it may delete or overwrite."),
      idempotent: s.flag("Whether repeating a call changes nothing more."),
      open_world: s.flag("Whether it reaches systems outside your control."),
      deadline_ms: s.integer([0, MAX_TIMER_MS], "Time for one call. Read at run time."),
      dry_run: s.flag("Whether the handler can say what it would do. Read at run time."),
      check: s.filled(
        "The op that a dry run reads first, with those of its arguments that the call has, to see whether it exists. Default: the op get of the same entity, or GET of the same address or of what it is below. Read at run time.",
      ),
      hidden: s.flag("Callable, but listed nowhere. Read at run time."),
    }),
    "What is said of one tool, by its name or <pack>/<name>; wins over names and annotations.",
    {},
  ),
  policies: s.map(
    s.entry({
      do: s.list(s.text(), "Advice."),
      dont: s.list(s.text(), "Guards."),
      edge_cases: s.list(s.text(), "Edge cases."),
      source_hash: s.text(
        "Digest of the description that the pin was made from; toolwright check prints the current one.",
      ),
    }),
    "Pinned policies by op: they replace what is read from the description.",
    {},
  ),
  synonyms: s.map(s.text(), "Words that search takes for each other.", {}),
  budget: s.group("Tokens that check allows; no budget unless configured.", {
    tool: s.integer([0], "Of one tool's definition."),
    help_short: s.integer([0], "Of one op's short help."),
    exposed: s.integer([0], "Of all tools that a client is shown."),
  }),
  diagnostics: s.map(
    s.wordOr(DIAGNOSTIC_LEVELS, s.map(RULE_LEVEL, "A level, or a map of rules to levels.")),
    "Other levels for diagnostics, or off: a rule to its level for all tools, or <pack>/<tool> or <pack>/<op> (* stands for any characters) to a map of rules. An error stays one.",
    {},
  ),
  reserved: s.list(
    s.entry({
      tool: s.required(s.text("Name of the removed tool.")),
      op: s.required(s.text("Its op.")),
      since: s.required(s.day("Day from which on its end is announced.")),
      sunset: s.day("Day from which on it may be gone. Without it, its removal is a warning."),
      use: s.text("The op to use instead."),
    }),
    "Tombstones: names and ops of removed tools, which stay reserved.",
    [],
  ),
};
