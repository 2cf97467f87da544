/** Declares the commands of keys, jobs and runs; `commands.ts` lists them with the others. */

import { type CommandUsage, commandFlag, JSON_FLAG, STATE } from "./usage.js";

const OUT = commandFlag("--out <FILE>", "write it to a new file that only you can read, instead of printing it");
const PRINCIPAL = commandFlag("--principal <ID>", "only those of this key or user");

/** The commands, in the order in which `--help` lists them. */
export const ADMIN_COMMANDS = {
  "keys init": {
    usage: "init",
    about: "make the first admin key; exit 1 while one is live",
    examples: ["keys init", "keys init --out admin.key"],
    flags: [OUT, STATE],
  },
  "keys create": {
    usage: "create",
    about: "make a key and print it, only this once; it expires after 90 days by default",
    examples: [
      "keys create --name ci --scope read",
      "keys create --name anna --scope project:proj_x --expires-in 12h --json",
      "keys create --name backup --scope read --no-expiry --packs 'onto,git*' --ops '*.list,*.get'",
    ],
    flags: [
      commandFlag("--name <NAME>", "what to call it").makeOptionMandatory(),
      commandFlag(
        "--scope <SCOPE>",
        "admin, write, read, admin:ro, project:ID, or project:ID:ro; ro is read only",
      ).makeOptionMandatory(),
      commandFlag("--packs <PATTERNS>", "only ops of these packs: names with * and commas (default: all)"),
      commandFlag("--ops <PATTERNS>", "only these ops: names with * and commas (default: all)"),
      commandFlag("--approve <PATTERNS>", "writes that wait for the approval of a person: ops with * and commas"),
      commandFlag("--expires-in <TIME>", "time until it expires: a number and s, m, h or d (default: 90d)"),
      commandFlag("--no-expiry", "it never expires"),
      OUT,
      STATE,
      JSON_FLAG,
    ],
  },
  "keys revoke": {
    usage: "revoke <keyid>",
    about: "end a key and the keys that it made, and print their ids; exit 1 when there is no such key",
    examples: ["keys revoke abcdefghij", "keys revoke abcdefghij --no-cascade"],
    flags: [commandFlag("--no-cascade", "leave the keys that it made"), STATE],
  },
  "keys rotate": {
    usage: "rotate <keyid>",
    about: "make a key with the same scope and print it, only this once; the old one expires soon",
    examples: ["keys rotate abcdefghij", "keys rotate abcdefghij --overlap 15m --json"],
    flags: [
      commandFlag("--overlap <TIME>", "how long the old one stays valid: a number and s, m, h or d").default("24h"),
      OUT,
      STATE,
      JSON_FLAG,
    ],
  },
  "keys list": {
    usage: "list",
    about: "list live keys; never a key itself",
    examples: ["keys list", "keys list --all --json"],
    flags: [commandFlag("--all", "with expired and revoked ones"), STATE, JSON_FLAG],
  },
  "keys check": {
    usage: "check",
    about: "say whether the key on standard input is live; exit 1 when it is not",
    examples: ["keys check < admin.key", "keys check --json < admin.key"],
    flags: [STATE, JSON_FLAG],
  },
  "secrets check": {
    usage: "check",
    about: "say where each variable of the configuration comes from, never its value; exit 1 when one is not set",
    examples: ["secrets check", "secrets check --json"],
    flags: [JSON_FLAG],
  },
  "connections list": {
    usage: "list",
    about: "list connections to servers and APIs: whose they are, and since when; never their tokens",
    examples: ["connections list", "connections list --principal key_4f6e9a436f", "connections list --json"],
    flags: [PRINCIPAL, STATE, JSON_FLAG],
  },
  "connections revoke": {
    usage: "revoke <name>",
    about: "end the connections to a server, or to the API of a pack; exit 1 if there is none",
    examples: ["connections revoke github", "connections revoke github --principal key_4f6e9a436f"],
    flags: [PRINCIPAL, STATE, JSON_FLAG],
  },
  "connections login": {
    usage: "login <name>",
    about: "sign in at a server, or at the API of a pack, for all callers (mode shared); exit 1 if it is refused",
    examples: ["connections login github"],
    flags: [STATE, JSON_FLAG],
  },
  "connections renew": {
    usage: "renew <name>",
    about:
      "sign in once more at a server that was authorized in a browser, or for all callers (mode shared), for further scopes too; exit 1 if it is refused",
    examples: ["connections renew github", "connections renew github --scope 'repo:write issues:write'"],
    flags: [
      commandFlag("--scope <SCOPES>", "scopes to ask for beside the present ones, with spaces between them"),
      STATE,
      JSON_FLAG,
    ],
  },
  "jobs list": {
    usage: "list",
    about: "list what servers run later or again: state, time, attempts and last error; dead letters first",
    examples: ["jobs list", "jobs list --json", "jobs list --state postgres://db.example.com/toolwright"],
    flags: [STATE, JSON_FLAG],
  },
  "jobs retry": {
    usage: "retry <id>",
    about: "make a job due now with all of its attempts, a dead letter too; exit 1 if it is running or unknown",
    examples: ["jobs retry 0d9f2b4e-5c1a-4f6e-9a43-6f1c2d3e4b5a"],
    flags: [STATE, JSON_FLAG],
  },
  "jobs drop": {
    usage: "drop <id>",
    about: "delete a job; exit 1 if it is running or unknown. A recurring job comes back when a server starts",
    examples: ["jobs drop 0d9f2b4e-5c1a-4f6e-9a43-6f1c2d3e4b5a"],
    flags: [STATE, JSON_FLAG],
  },
  "runs list": {
    usage: "list",
    about: "list the programs that have written something: status, start and caller; the latest first",
    examples: ["runs list", "runs list --json"],
    flags: [STATE, JSON_FLAG],
  },
  "runs show": {
    usage: "show <id>",
    about: "show a run, its calls, its plan, and what waits for approval with arguments; exit 1 if it is unknown",
    examples: ["runs show run_k3v9q2m4x7ab"],
    flags: [STATE, JSON_FLAG],
  },
  "runs approve": {
    usage: "approve <id> [calls...]",
    about: "approve calls of a paused run, or its plan (call 0), all that wait by default; exit 1 if one does not wait",
    examples: [
      "runs approve run_k3v9q2m4x7ab",
      "runs approve run_k3v9q2m4x7ab 0",
      "runs approve run_k3v9q2m4x7ab 3 4.1 --json",
    ],
    flags: [STATE, JSON_FLAG],
  },
  "runs reject": {
    usage: "reject <id> [calls...]",
    about: "reject calls of a paused run, or its plan (call 0), all that wait by default; exit 1 if one does not wait",
    examples: ['runs reject run_k3v9q2m4x7ab 3 --reason "not this one"'],
    flags: [commandFlag("--reason <TEXT>", "why; the program is told"), STATE, JSON_FLAG],
  },
  "runs resolve": {
    usage: "resolve <id> <call> <outcome>",
    about: "say what became of a write whose server ended: happened, retry or stop; exit 1 if nobody asks about it",
    examples: [
      `runs resolve run_k3v9q2m4x7ab 3 happened --result '{"id": 7}'`,
      "runs resolve run_k3v9q2m4x7ab 3 retry",
      'runs resolve run_k3v9q2m4x7ab 3 stop --reason "paid by hand"',
    ],
    flags: [
      commandFlag("--result <JSON>", "what a call that happened has answered (default: null)"),
      commandFlag("--reason <TEXT>", "why; it is kept"),
      STATE,
      JSON_FLAG,
    ],
  },
  "runs resume": {
    usage: "resume <id>",
    about: "go on with a run whose server has ended, and print its reply; exit 1 if it fails or cannot go on",
    examples: ["runs resume run_k3v9q2m4x7ab", "runs resume run_k3v9q2m4x7ab --json"],
    flags: [STATE, JSON_FLAG],
  },
  "runs stop": {
    usage: "stop <id>",
    about: "stop a run that waits or is under way on any server; exit 1 if it has ended or is unknown",
    examples: ["runs stop run_k3v9q2m4x7ab", 'runs stop run_k3v9q2m4x7ab --reason "not needed any more"'],
    flags: [commandFlag("--reason <TEXT>", "why; the caller is told"), STATE, JSON_FLAG],
  },
  "runs drop": {
    usage: "drop <id>",
    about: "delete a run, which cannot be resumed then; exit 1 if it is under way or unknown",
    examples: ["runs drop run_k3v9q2m4x7ab"],
    flags: [STATE, JSON_FLAG],
  },
} as const satisfies Readonly<Record<string, CommandUsage>>;
