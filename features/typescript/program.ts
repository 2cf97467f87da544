/** Programs in TypeScript: code that was read and checked, with what can be asked of it. */

import { digestText } from "../../runtime/contract/canonical.js";
import type { Program } from "../../runtime/run/languages/language.js";
import type { Names } from "../../runtime/run/names.js";
import { forwardsAnswers } from "./assumed-uses.js";
import { FOLLOW } from "./async-functions.js";
import type { CompiledProgram, CompileFinding } from "./compile.js";
import { PRELUDE } from "./engine/prelude.mjs";
import { TYPESCRIPT_TEXTS } from "./texts.js";
import { WORLD } from "./world.js";

/** A program in TypeScript. */
export interface TypescriptProgram extends Program {
  /** What the check found; undefined without an answer in time. */
  readonly findings: readonly CompileFinding[] | undefined;
}

const LANGUAGE = { name: "typescript", texts: TYPESCRIPT_TEXTS };
/** The guest's side of a run decides, as the code does, which calls are made. */
const GUEST = digestText(PRELUDE);

/** Words of the language, and names that every program has: none of them can mean an op. */
const TAKEN: ReadonlySet<string> = new Set(
  [
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends",
    "false finally for function if implements import in instanceof interface let new null package private protected",
    "public return static super switch this throw true try typeof undefined var void while with yield",
    ...[...WORLD.matchAll(/^declare \w+ (\w+)/gm)].map(([, name = ""]) => name),
  ].flatMap((words) => words.split(" ")),
);

/** Names of ops beside their paths that code may use, with the paths. */
export function bareCalls({ aliases, packs, bare }: Names, code: string): ReadonlyMap<string, string> {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  const single = [...bare].flatMap(([name, [path = "", ...others]]) =>
    others.length > 0 ? [] : [[name, path] as const],
  );
  const all = [...single, ...aliases].filter(
    ([name, path]) => words.has(name) && !TAKEN.has(name) && !packs.has(name) && name !== path,
  );
  return new Map(all.filter(([, path]) => path.split(".").every((part) => /^[A-Za-z_$][\w$]*$/.test(part))));
}

/** Names with several possible ops. */
const ambiguousOf = ({ bare }: Names): Program["ambiguous"] =>
  new Map([...bare].filter(([, paths]) => paths.length > 1));

/** Makes a program of what was read. */
export function typescriptProgram(
  source: string,
  { code, lastCall, calls, uses }: CompiledProgram,
  names: Names,
  findings: TypescriptProgram["findings"],
  doubts: Program["doubts"],
): TypescriptProgram {
  const short = bareCalls(names, source);
  const whole = `((${[...short.keys()].join(", ")}) => async (${FOLLOW}) => {"use strict";${code}\n})(${[...short.values()].join(", ")})`;
  const pathOf = (op: string): string => short.get(op) ?? op;
  return {
    kind: "program",
    language: LANGUAGE,
    ...{ code: whole, source, findings, doubts },
    ambiguous: ambiguousOf(names),
    lastCall: lastCall === undefined ? undefined : pathOf(lastCall).split("."),
    codeHash: () => digestText(`${GUEST}\n${whole}`),
    forwards: (ops, isOp, has) => forwardsAnswers(uses, ops, pathOf, isOp, has),
    calls: () => ({
      lineOf(op, nth) {
        return calls.filter((one) => pathOf(one.op) === op)[nth]?.line;
      },
      useOf: () => undefined,
    }),
  };
}
