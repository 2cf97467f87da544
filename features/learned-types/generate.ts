/** Gives ops the types and words of `definitions/learned/`, and compares the types of two builds. */

import type { GeneratePart } from "../../generator/pipeline.js";
import { compareLearned } from "./compare.js";
import { readLearnedFiles } from "./learned-files.js";
import { withLearned, withLearnedWords } from "./learned-ops.js";

/** Reads the files, and adds what they say to the ops. */
export const addLearned: GeneratePart = {
  extracted(ops, host, report) {
    const { types, words } = readLearnedFiles(host, report);
    return withLearnedWords(withLearned(ops, types, report), words, report);
  },
  compare: compareLearned,
};
