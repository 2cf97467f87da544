/** What records calls, and what learns from their results and from the queries before them. */

import type { Dispatch } from "../call/call.js";
import { createHelp, type Help } from "../catalog/help.js";
import type { Project } from "../catalog/project.js";
import type { Settings } from "../config/settings.js";
import type { Principal } from "../contract/handler.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { Lease, Resource } from "../contract/resource-pool.js";
import { createLearner, type Learner, type LearnerParts } from "../learned/learner.js";
import { observed } from "../learned/observed.js";
import { withWords } from "../learned/words/capture.js";
import { type CallerWords, createCallerWords } from "../learned/words/own-words.js";
import { LEARNED, type RetainParts, type Retention, STATISTICS } from "../state/retention.js";
import { recorded } from "../stats/recorded.js";
import { createRecorder, type Recorder } from "../stats/recorder.js";
import { DRIFT } from "../stats/store.js";

/** The parts that record and learn; none if statistics are disabled. */
export interface Recording {
  readonly recorder: Recorder | undefined;
  /** Absent if no types are learned. */
  readonly learner: Learner | undefined;
  /** Absent if no words are learned. */
  readonly words: CallerWords | undefined;
  readonly ownWords: ((principal: Principal) => OwnWords) | undefined;
}

/** The path to a handler, and help. */
export interface RecordedPath {
  readonly dispatch: Dispatch;
  readonly help: Help;
}

/** Makes the retention of some tables. */
export type RetentionOf = (of: string, tables: RetainParts["tables"]) => Retention;

const closing = <T extends { close(): Promise<void> }>(value: T): Resource<T> => ({
  value,
  close: () => value.close(),
});

/** Takes the parts, which the gateways of a process share while the settings behind them are unchanged. */
export function recordingOf(
  { learned, learnedWords, state, stats: { enabled, retentionDays } }: Settings,
  { retention, ...given }: Omit<LearnerParts, "retention"> & { readonly retention: RetentionOf },
  hold: Lease,
): Recording {
  const place = `${retentionDays} ${JSON.stringify(state)}`;
  const made = () => closing(createRecorder({ ...given, retention: retention("statistics", STATISTICS) }));
  const recorder = enabled ? hold.take(`recorder ${place}`, made) : undefined;
  const drifted = (op: string): void => recorder?.add(`${DRIFT}${op}`, 1);
  const learner = () => closing(createLearner({ ...given, drifted, retention: retention("learned types", LEARNED) }));
  const learning = recorder && learnedWords.size > 0 ? createCallerWords({ ...given, recorder }) : undefined;
  const words = learning && hold.take(`words ${place}`, () => ({ value: learning, close: async () => undefined }));
  return {
    recorder,
    learner: enabled && learned.size > 0 ? hold.take(`learner ${place}`, learner) : undefined,
    words,
    ownWords: words && (({ id }) => words.of(id)),
  };
}

/** The path to a handler and help, with what records calls and learns from them. */
export function withRecording(
  path: Dispatch,
  { recorder, learner, words, ownWords }: Recording,
  project: Project,
  clock: () => number,
): RecordedPath {
  const { settings } = project;
  const learning = learner ? observed(path, learner, settings) : path;
  const dispatch = recorder ? recorded(learning, recorder, clock) : learning;
  const asked = { dispatch, help: createHelp(project, dispatch.index, ownWords) };
  return words ? withWords(asked, settings, { take: words.add, clock }) : asked;
}
