/** What reading and checking keep of a scope, which is the same for all callers with one kind of grant. */

import { acceptedNames } from "../../../contract/accepted-names.js";
import type { PythonStubs } from "../../../contract/python-stubs.js";
import type { Scope } from "../language.js";
import type { ParameterTable, Vocabulary } from "./reading.js";

/** Made for a scope. */
interface ScopeWords {
  /** Vocabulary for reading code. */
  readonly vocabulary: Vocabulary;
  /** Vocabulary for preparing code for a type check. */
  checkVocabulary(): Vocabulary;
  /** Stubs made by type checks, by pack. */
  readonly stubs: Map<string, PythonStubs>;
}

const known = new WeakMap<Scope, ScopeWords>();

/** What is kept of a scope. */
export function wordsOfScope(scope: Scope): ScopeWords {
  const words = known.get(scope) ?? newWords(scope);
  known.set(scope, words);
  return words;
}

function newWords({ names, ops }: Scope): ScopeWords {
  let checking: Vocabulary | undefined;
  return {
    vocabulary: { names },
    checkVocabulary() {
      checking ??= { names, parameters: parametersOf(ops) };
      return checking;
    },
    stubs: new Map(),
  };
}

/** An op that takes arguments of any name has no prefixes. */
const parametersOf = (ops: Scope["ops"]): ParameterTable =>
  new Map(
    ops.map(({ op, parameters, parameters_schema: schema }) => [
      op,
      acceptedNames(schema).open ? [] : parameters.map(({ name, original, aliases }) => ({ name, original, aliases })),
    ]),
  );
