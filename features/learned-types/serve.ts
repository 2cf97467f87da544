/** Learns from the calls of a gateway, and ranks ops by the words of each caller. */

import type { Resource } from "../../runtime/contract/resource-pool.js";
import type { AnsweringPath, ServePart } from "../../runtime/gateway/features.js";
import { learnSettingsOf } from "./learn-settings.js";
import { createLearner, type Learner } from "./learner.js";
import { observed } from "./observed.js";
import { LEARNED } from "./tables.js";
import { withWords } from "./words/capture.js";
import { type CallerWords, createCallerWords } from "./words/own-words.js";

/** Begins the name of the counter of an op whose results differ from their learned type. */
const DRIFT = "drift";

/** Starts to learn; nothing is learned without statistics. */
export const learnFromCalls: ServePart = ({ config, settings, generated, recorder, shared, ...given }) => {
  if (!recorder) return undefined;
  const learns = learnSettingsOf(config, generated, settings.ops);
  const { learned, learnedWords } = learns;
  const { state, log, clock } = given;
  // One job deletes the rows of both.
  const retention = shared("retention", () => ({
    value: given.retention("learned types", LEARNED),
    close: async () => undefined,
  }));
  const newLearner = (): Resource<Learner> => {
    const drifted = (op: string): void => recorder.add(`${DRIFT} ${op}`, 1);
    const value = createLearner({ state, log, clock, retention, drifted });
    return { value, close: () => value.close() };
  };
  const newWords = (): Resource<CallerWords> => ({
    value: createCallerWords({ state, log, clock, recorder, retention }),
    close: async () => undefined,
  });
  const learner = learned.size > 0 ? shared("types", newLearner) : undefined;
  const words = learnedWords.size > 0 ? shared("words", newWords) : undefined;
  return {
    opFigures: { drifted: DRIFT },
    around({ dispatch, help }: AnsweringPath): AnsweringPath {
      const path = { dispatch: learner ? observed(dispatch, learner, learns) : dispatch, help };
      return words ? withWords(path, learns, { take: words.add, clock }) : path;
    },
    ...(words ? { ownWords: ({ id }) => words.of(id) } : {}),
  };
};
