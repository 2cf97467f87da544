/** Numbers in the prose of `docs/` about learned types equal the constants of the code. */

import { testNumbers } from "../../../test/support/doc-numbers.js";
import { constantIn } from "../../../test/support/source-constants.js";

const MINUTE = 60_000;

/** A constant of a file of the feature, in a unit. */
const of = (file: string, name: string, unit = 1): number =>
  constantIn(`features/learned-types/${file}.ts`, name) / unit;

testNumbers({
  "docs/learned-types.md": [
    ["those of the first # calls of an op", of("learner", "STABLE_CALLS")],
    ["| # calls with different arguments", of("rules", "MIN_LOCKED_CALLS")],
    ["| # calls with a value;", of("rules", "MIN_TYPE_CALLS")],
    ["or # keys or more, each", of("rules", "MIN_MAP_KEYS")],
    ["within\n# minutes and # calls", of("words/capture", "MAX_WAIT_MS", MINUTE), of("words/capture", "MAX_CALLS")],
    ["with a digit or of more than # letters", of("words/counted-words", "MAX_LETTERS")],
    ["word of a query of more than # characters", of("words/counted-words", "MAX_QUERY_LENGTH")],
    ["# for an op, and # rows in all", of("words-file", "MAX_OP_WORDS"), of("words/word-rows", "MAX_ROWS")],
    ["A row counts half after # days", of("words/own-words", "FADING_DAYS")],
  ],
  "docs/reference/configuration.md": [["proposes it for all. Default: #;", of("words/judged-words", "MIN_CALLERS")]],
});
