/** Declares every command of the command line with its operands, flags and examples. `command-line.ts` builds it, `main.ts` implements them. */

import { conflictOf } from "../../runtime/contract/feature-conflict.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { ADMIN_COMMANDS } from "./admin-commands.js";
import {
  type AddedUsage,
  ALLOW_WRITE,
  type CommandUsage,
  commandFlag,
  GIVEN,
  GIVEN_TO_SERVE,
  JSON_FLAG,
  repeated,
  STATE,
} from "./usage.js";

const ACCEPT_FLAG = commandFlag(
  "--accept <NAME>",
  "add this server of a client without those of its limits that cannot be kept: it is left out otherwise, with what they are; may be given again",
).argParser(repeated);

const ENGINE = commandFlag("--engine <ENGINE>", "has no effect: Python runs on CPython").choices([
  "auto",
  "monty",
  "cpython",
]);
const STRICT = commandFlag("--strict", "treat warnings as errors, but for those about definitions of servers and APIs");
const VERBOSE = commandFlag("--verbose", "print every diagnostic, also those that ask for nothing");

const CI_SYSTEMS = ["github", "gitlab"] as const;

/** A CI system for which `init` writes files. */
export type CiSystem = (typeof CI_SYSTEMS)[number];

const CALL_FLAGS = [
  commandFlag("--args <JSON>", "arguments as one JSON object; the others are added to it"),
  commandFlag("--dry-run", "say what would happen, change nothing"),
  commandFlag("--idempotency-key <KEY>", "the same key and arguments are done once"),
  ALLOW_WRITE,
  STATE,
  commandFlag("--json", "the envelope on one line"),
];

/** The commands, in the order in which `--help` lists them. */
export const COMMANDS = {
  generate: {
    usage: "generate",
    about: "write generated/ from definitions/",
    examples: ["generate", "generate --json", "generate --root ../shop --stats", "generate --watch"],
    flags: [
      STRICT,
      VERBOSE,
      commandFlag("--stats", "show the time of each stage, and how many tools it gave"),
      commandFlag("--watch", "generate again whenever a definition changes, until interrupted"),
      commandFlag("--json", "one JSON document; with --watch, one per line"),
    ],
  },
  check: {
    usage: "check",
    about: "build in memory and compare with generated/; exit 1 on drift or over budget",
    examples: ["check", "check --strict --json"],
    flags: [STRICT, VERBOSE, JSON_FLAG],
  },
  explain: {
    usage: "explain <name>",
    about: "explain why an op has its path, kind, policy and signature",
    examples: ["explain list_onto_tasks", "explain onto.task.list --json"],
    flags: [JSON_FLAG],
  },
  names: {
    usage: "names",
    about: "show the op of each tool, and what it was inferred from",
    examples: ["names", "names --write", "names --json"],
    flags: [
      commandFlag("--write", "pin the ops in definitions/toolwright.yaml, so that no other tool moves them"),
      JSON_FLAG,
    ],
  },
  enums: {
    usage: "enums [tools...]",
    about: 'show the values that only descriptions list, as in "one of: todo, done"',
    examples: ["enums", "enums --write", "enums list_tasks create_task --write"],
    flags: [
      commandFlag("--write", "pin the values in definitions/toolwright.yaml: calls with others are refused"),
      JSON_FLAG,
    ],
  },
  init: {
    usage: "init",
    about:
      "write a new project: definitions/toolwright.yaml, and what belongs to it; exit 1 when a server failed, or one is left out for a limit that cannot be kept",
    examples: [
      "init",
      "init --import cursor --import claude-desktop",
      "init --import all",
      "init --ci github",
      'init --yes --server files="npx -y @modelcontextprotocol/server-filesystem ." --server docs=https://example.com/mcp',
    ],
    flags: [
      commandFlag("--yes", "ask nothing, take every default; keep imported secrets in .onetool/secrets.yaml"),
      commandFlag(
        "--import <CLIENT|FILE>",
        "import the MCP servers of a client (claude-desktop, cursor, …), of a file, or of all clients (all); may be given again",
      ).argParser(repeated),
      commandFlag("--server <NAME=URL|COMMAND>", "an MCP server; may be given again").argParser(repeated),
      ACCEPT_FLAG,
      commandFlag("--ci <SYSTEM>", "write what CI runs too; in a project that exists already, that alone").choices(
        CI_SYSTEMS,
      ),
      JSON_FLAG,
    ],
  },
  add: {
    usage: "add [name] [target...]",
    about:
      "add an MCP server, or those of a client: edits definitions/toolwright.yaml, reads the servers, generates; exit 1 if you decline, a server fails, or one is left out for a limit that cannot be kept",
    examples: [
      "add docs https://example.com/mcp",
      "add files npx -y @modelcontextprotocol/server-filesystem .",
      "add --from cursor",
      "add github --from claude-desktop --yes",
      "add --from codex --accept files",
    ],
    flags: [
      commandFlag(
        "--from <CLIENT|FILE>",
        "the servers of a client (claude-desktop, cursor, …), of a file, or of all clients (all), or the named one of them; may be given again",
      ).argParser(repeated),
      commandFlag(
        "--yes",
        "do not ask before a command is started; keep secrets in .onetool/secrets.yaml. A flag of the server that is called like one of these goes after --",
      ),
      ACCEPT_FLAG,
      JSON_FLAG,
    ],
    loose: true,
  },
  remove: {
    usage: "remove <name>",
    about: "take an MCP server out: edits definitions/toolwright.yaml, deletes its snapshot, generates",
    examples: ["remove files"],
  },
  snapshot: {
    usage: "snapshot [names...]",
    about: "write definitions/servers/NAME.json from what upstream servers offer; exit 1 when one fails or differs",
    examples: [
      "snapshot",
      "snapshot github files",
      "snapshot --check --json",
      "snapshot github --principal key_4f6e9a436f",
      "snapshot shop --token < token",
    ],
    flags: [
      commandFlag("--check", "write nothing; compare the servers with their snapshots"),
      commandFlag(
        "--principal <ID>",
        "read per_user servers with the connection of this key or user, not with that of the owner",
      ),
      commandFlag("--token", "read token_exchange servers with the access token on standard input"),
      JSON_FLAG,
    ],
  },
  serve: {
    usage: "serve [files...]",
    about: "serve the registry as an MCP server; or, without a project, FILES of tools and what the flags name",
    examples: [
      "serve --stdio",
      "serve --stdio --allow-write",
      "serve --http 8080",
      "serve --http 8080 --no-console",
      "serve --http 8080 --watch",
      "serve --stdio --http [::1]:8080",
      "serve --socket",
      "serve --socket /run/user/1000/toolwright/s --http 8080",
      "serve tools.ts",
      'serve --stdio github="npx -y @modelcontextprotocol/server-github" --env GITHUB_TOKEN --http 8080',
    ],
    flags: [
      ...GIVEN_TO_SERVE,
      commandFlag(
        "--http <[HOST:]PORT>",
        "over HTTP, MCP at /mcp and the console at /; without HOST on this machine only; port 0: any free one",
      ),
      commandFlag(
        "--socket [PATH]",
        "over a Unix domain socket, for callers with a key (default: .onetool/run/toolwright.sock)",
      ),
      commandFlag("--no-console", "over HTTP without the console at /"),
      commandFlag("--watch", "generate and reload whenever a definition changes; a bad one keeps what is served"),
      ALLOW_WRITE,
      STATE,
    ],
  },
  help: {
    usage: "help [path...]",
    about:
      "show the help of a command, or what tool_help answers for a path, or both; exit 1 when the path leads nowhere",
    examples: [
      "help",
      "help serve",
      "help onto.task",
      "help onto.task.create --full --schemas",
      'help everything.get_sum --stdio "npx -y @modelcontextprotocol/server-everything"',
    ],
    flags: [
      commandFlag("--full", "descriptions, results, errors, more examples"),
      commandFlag("--schemas", "with the input schema"),
      commandFlag("--no-examples", "without examples"),
      commandFlag("--at <PART>", "only one part of the arguments or the result: entities[].props, returns.items"),
      commandFlag("--page <N>", "a further page of a long answer"),
      ...GIVEN,
      JSON_FLAG,
    ],
  },
  list: {
    usage: "list [prefix]",
    about: "list the ops with their signatures, or those below a path",
    examples: [
      "list",
      "list onto.task --json",
      'list --stdio "npx -y @modelcontextprotocol/server-everything"',
      "list --url https://example.com/mcp",
      "list --openapi petstore.yaml --tools tools.ts",
    ],
    flags: [...GIVEN, JSON_FLAG],
  },
  call: {
    usage: "call <op>",
    about:
      "call one op, with arguments as NAME=VALUE, NAME:=JSON, NAME=@FILE, or - for an object on standard input; exit 1 when the envelope is not ok",
    examples: [
      "call onto.task.list limit=5",
      `call onto.task.update task_id=task_x props:='{"a":1}' --allow-write`,
      'call get-sum a=1 b=2 --stdio "npx -y @modelcontextprotocol/server-everything"',
      "call docs.search query=limits --url docs=https://example.com/mcp --header 'Authorization: Bearer TOKEN'",
      "call pet.get_pet_by_id pet_id=1 --openapi pet=https://example.com/openapi.json --json",
    ],
    flags: [...CALL_FLAGS, ...GIVEN],
    loose: true,
  },
  exec: {
    usage: "exec <op>",
    about: "call one op of a project, as call does; each other flag is an argument; exit 1 when the envelope is not ok",
    examples: [
      "exec onto.task.list --limit 5",
      `exec onto.task.create --allow-write --project-id proj_x --title "Call Anna"`,
      "exec github.list_issues -- --state open",
      `exec onto.task.update --args '{"task_id":"task_x","title":"New"}' --dry-run --allow-write`,
    ],
    flags: CALL_FLAGS,
    loose: true,
  },
  run: {
    usage: "run [file]",
    about: "run Python or TypeScript over the ops, from FILE or - (standard input); exit 1 when it failed",
    examples: [
      'run -c "onto.task.list(limit=5)"',
      "run report.py --allow-write",
      "run report.ts",
      "run - < report.py",
      "run report.py --check",
      "run --types > run.d.ts",
      "run clean-up.py --preview --allow-write",
      "run clean-up.py --after run_k3v9q2m4x7ab --allow-write",
      'run -c "everything.get_sum(a=1, b=2)" --stdio "npx -y @modelcontextprotocol/server-everything"',
    ],
    flags: [
      commandFlag("-c, --code <CODE>", "the code itself"),
      commandFlag("--check", "only check names, arguments and result keys; exit 1 when something is found"),
      commandFlag("--types", "only print declarations of the ops for an editor; where run.languages has typescript"),
      commandFlag(
        "--preview",
        "run the whole program, undo it, and print the plan of its writes; nothing is stored or sent",
      ),
      commandFlag("--after <RUN>", "id of a run that failed: calls that it has made are not made again"),
      ENGINE,
      ALLOW_WRITE,
      STATE,
      ...GIVEN,
      JSON_FLAG,
    ],
  },
  ...ADMIN_COMMANDS,
  config: {
    usage: "config",
    about:
      "print the configuration in force, defaults filled in and secrets masked; exit 1 when a variable that it names is not set, or serve would refuse it",
    examples: ["config", "config --origins", "config --origins --json", "config --allow-write --origins"],
    flags: [
      commandFlag("--origins", "with where each value came from: flag, file and line, or default"),
      ENGINE,
      ALLOW_WRITE,
      STATE,
      commandFlag(
        "--json",
        "one JSON document: config, missing, faults, and with --origins each value's path, origin and variables",
      ),
    ],
  },
  features: {
    usage: "features",
    about: "list the features of the project: where each comes from, what it adds, and whether it is active",
    examples: ["features", "features --json"],
    flags: [JSON_FLAG],
  },
  doctor: {
    usage: "doctor",
    about: "check Node, generated code, database, keys and folders; exit 1 when something needs a person",
    examples: ["doctor", "doctor --json"],
    flags: [JSON_FLAG],
  },
  completion: {
    usage: "completion <shell> [words...]",
    about: "print what completes commands, flags and ops in a shell: bash, zsh, fish or powershell",
    examples: [
      "completion bash > ~/.local/share/bash-completion/completions/toolwright",
      "completion zsh > ~/.zsh/completions/_toolwright",
      "completion fish > ~/.config/fish/completions/toolwright.fish",
      "completion powershell >> $PROFILE",
    ],
  },
} as const satisfies Readonly<Record<string, CommandUsage>>;

/** Descriptions of command groups, by the first word of their commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  keys: "make, end and list the API keys of the project",
  secrets: "check the secrets of the project",
  connections: "list, end and make connections to servers and APIs",
  jobs: "list, retry and delete what servers run later or again",
  runs: "list, approve, resolve, resume, stop and delete programs that have written something",
};

/** Implementation of a command: takes operands, flags and the command, returns the exit code. */
export type Action = (...given: never[]) => Promise<number>;

/** A command beside those of the table. */
export interface AddedCommand extends AddedUsage {
  readonly name: string;
  /** The feature that adds it, for errors. */
  readonly by: string;
  readonly action: Action;
}

/** The implementation of each command. */
export type Actions = Readonly<Record<keyof typeof COMMANDS, Action>>;

/** Most commands of a feature. */
const MAX_FEATURE_COMMANDS = 64;

/** @throws UsageError for a command that is there twice, or below one, and a feature with too many */
export function refuseCommands(
  added: readonly (Pick<AddedCommand, "name" | "by"> & Partial<Pick<AddedCommand, "after">>)[],
): void {
  const owners = new Map(Object.keys(COMMANDS).map((name) => [name, "toolwright"]));
  const counts = new Map<string, number>();
  for (const { name, by, after } of added) {
    const [group = ""] = name.split(" ");
    // A command that stands behind the command of its group is below it.
    const owner = owners.get(name) ?? (after === group ? undefined : owners.get(group));
    if (owner !== undefined) throw conflictOf(by, `adds the command ${owners.has(name) ? name : group}`, owner);
    owners.set(name, by);
    counts.set(by, (counts.get(by) ?? 0) + 1);
  }
  const [most] = [...counts].find(([, count]) => count > MAX_FEATURE_COMMANDS) ?? [];
  if (most !== undefined)
    throw new UsageError(
      `feature-conflict: ${most} adds ${counts.get(most)} commands, and may add ${MAX_FEATURE_COMMANDS}: add fewer`,
    );
}
