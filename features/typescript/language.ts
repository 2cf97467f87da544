/** TypeScript, as a language of `run`: read by the compiler, without types run by QuickJS. */

import type { Tool } from "../../runtime/contract/registry.js";
import { bindArguments } from "../../runtime/run/call-arguments.js";
import { type TextFault, textFault } from "../../runtime/run/fault.js";
import { unwrapCommand } from "../../runtime/run/fence-processor.js";
import type {
  CodeFinding,
  Interpreter,
  InterpreterSettings,
  Language,
  Program,
  ReadBounds,
  Readings,
  Scope,
} from "../../runtime/run/languages/language.js";
import { isSnippet, readSnippetCall, type SnippetCall } from "../../runtime/run/snippet-call.js";
import { lineText } from "../../runtime/run/source-line.js";
import type { CompiledCall, CompileFinding } from "./compile.js";
import { sourceCompiler } from "./compiler.js";
import { declarations } from "./declarations.js";
import { createQuickJs } from "./engine/quickjs.js";
import { isAssigned, learnedAdvice } from "./learned-results.js";
import { bareCalls, type TypescriptProgram, typescriptProgram } from "./program.js";
import { argumentText, TYPESCRIPT_TEXTS } from "./texts.js";
import { TYPESCRIPT_FENCE_WORDS } from "./words.js";
import { WORLD } from "./world.js";

/** TypeScript: QuickJS, compiled to WebAssembly, in locked processes. */
export const TYPESCRIPT: Language = { name: "typescript", texts: TYPESCRIPT_TEXTS, open: openTypescript };

/** Time of a check that a run waits for, in milliseconds; then the program runs unchecked. */
const CHECK_MS = 2_000;

/** The value of a text of JSON. */
function jsonText(code: string): string | undefined {
  try {
    const value: unknown = JSON.parse(code);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

const WRAPPING = { words: TYPESCRIPT_FENCE_WORDS, itself: "the code itself", literal: jsonText };

function openTypescript(_root: string, settings: InterpreterSettings = {}): Interpreter {
  const compiler = sourceCompiler();
  const engine = createQuickJs(settings);
  let isWarming = false;
  const program = async (source: string, scope: Scope, bounds: ReadBounds): Promise<Program | TextFault> => {
    const { limits, signal, caller } = bounds;
    const types = typesFor(scope, source);
    const times = { syntaxMs: limits.cpuMs, checkMs: CHECK_MS };
    const read = await compiler.read({ code: source, types }, times, signal, caller);
    if (!read) return TOO_SLOW;
    const { answer, findings } = read;
    if ("faults" in answer) return refusalOf(source, answer.faults);
    const certain = [
      ...(findings ?? []).filter(({ isCertain }) => isCertain),
      ...argumentFaults(answer.compiled.calls, scope),
    ];
    return certain.length > 0
      ? refusalOf(source, certain)
      : typescriptProgram(
          source,
          answer.compiled,
          scope.names,
          findings,
          findings && doubtsOf(findings, source, scope),
        );
  };
  return {
    engine: "quickjs",
    async read<F extends keyof Readings>(form: F, text: string, scope: Scope, bounds: ReadBounds) {
      const unwrapped = form === "code" ? { kind: "code" as const, code: text } : unwrapCommand(text, WRAPPING);
      if (unwrapped.kind === "fault") return unwrapped;
      if (form === "command" && isSnippet(unwrapped.code))
        return readSnippetCall(unwrapped.code) as (SnippetCall & Readings[F]) | TextFault;
      return (await program(unwrapped.code, scope, bounds)) as Readings[F] | TextFault;
    },
    async check(checked, { ops }) {
      const { findings, source } = checked as TypescriptProgram;
      return findings?.flatMap((one) => learnedAdvice(adviceOf(one), source, ops) ?? []);
    },
    types({ ops, hidden, names }) {
      const listed = ops.filter(({ op }) => !hidden.has(op));
      const paths = new Set(listed.map(({ op }) => op));
      const aliases = bareCalls({ ...names, bare: new Map() }, [...names.aliases.keys()].join(" "));
      const known = new Map([...aliases].filter(([, path]) => paths.has(path)));
      return `${WORLD.trimStart()}${declarations(listed)}${shortNames(known)}`;
    },
    whyUnchecked: async () => undefined,
    ready: async () => undefined,
    run: (request) => engine.run(request),
    version: async () => "QuickJS, ES2023",
    warm() {
      if (isWarming) return;
      isWarming = true;
      // After pending work, such as sending an answer.
      setImmediate(() => {
        compiler.warm();
        void engine.warm().then(
          () => {
            isWarming = false;
          },
          () => {
            isWarming = false;
          },
        );
      });
    },
    close: async () => {
      await Promise.all([compiler.close(), engine.dispose()]);
    },
  };
}

/** A finding with what was probably meant. */
const adviceOf = ({ line, message, hint }: CompileFinding): CodeFinding => ({
  line,
  message: hint ? `${message}. ${hint}` : message,
});

/** Members that are not there, and that the code only reads. */
const doubtsOf = (findings: readonly CompileFinding[], source: string, { ops }: Scope): readonly CodeFinding[] =>
  findings.flatMap((one) => {
    if (!ABSENT_MEMBERS.has(one.name) || isAssigned(one.message, source)) return [];
    const said = learnedAdvice(adviceOf(one), source, ops);
    return said ? [{ ...said, message: `${said.message}, so that it is undefined` }] : [];
  });
const ABSENT_MEMBERS: ReadonlySet<string> = new Set(["TS2339", "TS2551"]);

const TOO_SLOW = textFault(
  "TimeoutError",
  "reading the code took too long (limits.cpu_ms)",
  "Next: send a shorter program, or several one after the other",
);

/** Declarations of what the code may use. */
function typesFor({ ops, names }: Scope, code: string): string {
  const short = bareCalls(names, code);
  return declarations(ops, `${code}\n${[...short.values()].join("\n")}`) + shortNames(short);
}

/** Declarations of names of ops beside their paths. */
const shortNames = (short: ReadonlyMap<string, string>): string =>
  [...short].map(([name, path]) => `declare const ${name}: typeof ${path};\n`).join("");

/** Calls of ops whose arguments cannot be bound. */
function argumentFaults(calls: readonly CompiledCall[], { ops, names }: Scope): readonly CompileFinding[] {
  const byPath = new Map<string, Tool>(ops.map((tool) => [tool.op, tool]));
  return calls.flatMap(({ op, names: given, line, column }) => {
    const tool = byPath.get(names.aliases.get(op) ?? op);
    if (!tool || given === undefined) return [];
    const bound = bindArguments(tool, { positional: [], named: given.map((name) => [name, null] as const) });
    if (!("kind" in bound)) return [];
    const message = `${tool.op}() ${argumentText(bound)}. Signature: ${tool.signature.typescript}`;
    return [{ line, column, isCertain: true, name: "TypeError", message }];
  });
}

/** Most findings beside the first one. */
const MAX_OTHERS = 4;
const NOTHING_RAN = "Nothing ran. Next: correct the program and send it whole";

/** Why a program was refused before it ran. */
function refusalOf(source: string, [first, ...others]: readonly CompileFinding[]): TextFault {
  const { name, message, line, column, hint } = first as CompileFinding;
  const code = lineText(source, line)?.trimEnd() ?? "";
  const isNext = hint?.startsWith("Next: ");
  return textFault(
    name,
    message,
    `  ${line}:${column} | ${code.slice(0, MAX_LINE)}`,
    ...others.slice(0, MAX_OTHERS).map((one) => `Also at line ${one.line}:${one.column}: ${one.message}`),
    ...(hint === undefined || isNext ? [] : [hint]),
    hint !== undefined && isNext ? `Nothing ran. ${hint}; then send the whole program again` : NOTHING_RAN,
  );
}

/** Longest line of code that is shown, in characters. */
const MAX_LINE = 200;
