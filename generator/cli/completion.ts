/** Implements `toolwright completion`: scripts for shells, and the candidates that these scripts ask for. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ArgumentHandler, type OptionHandler, RootCommand, type Command as Shown, script } from "@bomb.sh/tab";
import type { Command, Option } from "commander";
import { visibleText } from "../../runtime/contract/message-text.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
/** The word with which a script asks for candidates. */
const ASK = "complete";

/** What the command completes and where it prints. */
export interface CompletionSetting {
  readonly program: Command;
  /** The program that Node starts. */
  readonly launcher: string;
  /** Ids of clients, for `connect`, `add` and `init`. */
  readonly clients: readonly string[];
  readonly out: (text: string) => void;
}

/**
 * Prints the script of a shell, or the candidates for the last of `words`. Exit code 0.
 *
 * @throws UsageError for an unknown shell
 */
export function completion(
  { program, launcher, clients, out }: CompletionSetting,
  shell: string,
  words: readonly string[],
): number {
  if (shell === ASK) out(candidates(program, words, clients));
  else if (SHELLS.some((one) => one === shell))
    out(scriptOf(shell, program.name(), `${quoted(process.execPath)} ${quoted(launcher)} completion`));
  else throw new UsageError(`there is no completion for ${JSON.stringify(shell)}: name ${SHELLS.join(", ")}`);
  return 0;
}

function scriptOf(shell: string, name: string, command: string): string {
  const text = printed(() => script(shell, name, command));
  if (shell !== "bash") return text;
  const patched = BASH_PATCHES.reduce((before, [part, better]) => {
    if (!before.includes(part)) throw new Error(`the bash script of @bomb.sh/tab has no ${JSON.stringify(part)}`);
    return before.replaceAll(part, () => better);
  }, text);
  return `${WITHOUT_BASH_COMPLETION}${patched}`;
}

/** What the library's script for bash must not do, and what it does instead. */
const BASH_PATCHES = [
  // A second "source" of the script would fail at each constant.
  ["\nreadonly ", "\n"],
  // An unfinished line is not run: its words are passed as they are written. An empty last word is one of them.
  [`completion complete -- \${words[@]:1}`, `completion complete -- $(printf " %q" "\${words[@]:1}")`],
  [`requestComp="$requestComp ''"`, ":"],
  // -W expands $(…) in the words that it is given.
  [
    `COMPREPLY=( $(compgen -W "\${completions[*]}" -- "$cur") )`,
    `COMPREPLY=()
    for comp in "\${completions[@]}"; do
        if [[ "$comp" == "$cur"* ]]; then COMPREPLY+=("$(printf %q "$comp")"); fi
    done`,
  ],
] as const;

/** What the script of bash calls, where the package bash-completion is not loaded, and in bash 3, as on macOS. */
const WITHOUT_BASH_COMPLETION = `type _get_comp_words_by_ref >/dev/null 2>&1 || _get_comp_words_by_ref() {
    words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
}
type compopt >/dev/null 2>&1 || compopt() { :; }

`;

/** A path as one word of every shell. Quotes in paths differ between shells, and are refused. */
function quoted(path: string): string {
  if (!/["'`$\n]/.test(path)) return `'${path}'`;
  throw new UsageError(`${path} has a quote in it, which completion cannot name: install toolwright elsewhere`);
}

/** What the library prints to the console. */
function printed(print: () => void): string {
  const log = console.log;
  const lines: string[] = [];
  console.log = (line: string) => void lines.push(`${line}\n`);
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines.join("");
}

/** Lines of candidates with their descriptions, then what the shell does beside them: `:4` nothing, `:0` it adds files. */
function candidates(program: Command, words: readonly string[], clients: readonly string[]): string {
  const tree = new RootCommand();
  const tools = toolsIn(rootIn(words));
  const called = tools.find(({ op }) => words.includes(op));
  for (const one of program.commands) addCommand(tree, one, "", { tools, called, clients });
  const lines = printed(() => tree.parse([...words])).split("\n");
  const offered = lines.filter((line) => SAFE_CANDIDATE.test(line));
  return offered.length > 0 ? [...offered, ...lines.filter((line) => /^:\d+$/.test(line)), ""].join("\n") : ":0\n";
}

/** A candidate that means itself in each shell. Others are not offered: a shell may run what they contain. */
const SAFE_CANDIDATE = /^[\w.@/+-][\w.@/+:=,-]*\t/;

/** A description as one line without characters that a shell expands. */
const candidateAbout = (text: string): string => visibleText(text).replace(/[$`\\]/g, " ");

/** The folder that `--root` names among the words, which shells pass with their quotes. */
function rootIn(words: readonly string[]): string {
  const at = words.indexOf("--root");
  const named = (at >= 0 && words[at + 1]) || words.find((one) => one.startsWith("--root="))?.slice(7) || ".";
  return resolve(named.replace(/\\(.)|["']/g, "$1"));
}

/** The tools of the project; none if nothing is generated. */
function toolsIn(root: string): readonly Tool[] {
  try {
    return (JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8")) as Registry).tools;
  } catch {
    return [];
  }
}

interface Known {
  readonly tools: readonly Tool[];
  /** The op that the words name. */
  readonly called: Tool | undefined;
  readonly clients: readonly string[];
}

/** Operands by their name in the table of commands. */
type Operands = Readonly<Record<string, (known: Known) => readonly (readonly [value: string, about: string])[]>>;

const opsOf = ({ tools }: Known) => tools.map(({ op, summary }) => [op, candidateAbout(summary)] as const);

/** `onto` and `onto.task`, for `help` and `list`. */
const groupsOf = ({ tools }: Known) =>
  [...new Set(tools.flatMap(({ op }) => op.split(".").map((_, i, all) => all.slice(0, i).join("."))))]
    .filter((one) => one !== "")
    .map((one) => [one, ""] as const);

const OPERANDS: Operands = {
  op: opsOf,
  path: (known) => [...groupsOf(known), ...opsOf(known)],
  prefix: groupsOf,
  client: ({ clients }) => clients.map((one) => [one, ""] as const),
  shell: () => SHELLS.map((one) => [one, ""] as const),
};

/** Flags whose values are known, beside those with choices. */
const FLAG_VALUES: Readonly<Record<string, (known: Known) => readonly string[]>> = {
  from: ({ clients }) => [...clients, "all"],
  import: ({ clients }) => [...clients, "all"],
};

function addCommand(tree: RootCommand, command: Command, before: string, known: Known): void {
  const name = `${before}${command.name()}`;
  const shown = tree.command(name, command.description());
  for (const option of command.options) addFlag(shown, option, known);
  for (const operand of command.registeredArguments) {
    const named = OPERANDS[command.name() === "explain" ? "op" : operand.name()];
    const values = [...(named?.(known) ?? []), ...(operand.name() === "path" ? commandsOf(command) : [])];
    const offer: ArgumentHandler = (add) => {
      for (const [value, about] of values) add(value, about);
    };
    shown.argument(operand.name(), offer, operand.variadic);
  }
  if (name === "exec" || name === "call")
    for (const { original, description = "" } of known.called?.parameters ?? [])
      shown.option(original.replaceAll("_", "-"), candidateAbout(description), () => {});
  for (const one of command.commands) addCommand(tree, one, `${name} `, known);
}

/** Names of all commands, which `help` explains. */
const commandsOf = ({ parent }: Command) =>
  (parent?.commands ?? []).map((one) => [one.name(), one.description()] as const);

function addFlag(shown: Shown, option: Option, known: Known): void {
  const name = option.long?.slice(2) ?? "";
  const values = option.argChoices ?? FLAG_VALUES[name]?.(known) ?? [];
  const alias = option.short?.slice(1);
  const takesValue = option.required || option.optional;
  const offer: OptionHandler = (add) => {
    for (const one of values) add(one, "");
  };
  if (takesValue) shown.option(name, option.description, offer, alias);
  else shown.option(name, option.description, alias);
}
