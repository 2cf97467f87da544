/** Gives ops the types and words of `definitions/learned/`. */

import { withLearned, withLearnedWords } from "../../generator/pass/learned.js";
import { readLearnedFiles } from "../../generator/pass/learned-files.js";
import type { GeneratePart } from "../../generator/pipeline.js";

/** Reads the files, and adds what they say to the ops. */
export const addLearned: GeneratePart = {
  extracted(ops, host, report) {
    const { types, words } = readLearnedFiles(host, report);
    return withLearnedWords(withLearned(ops, types, report), words, report);
  },
};
