/** The type of an op's results that programs may rely on, and what help says of one that was learned. */

import type { JsonSchema, LearnedResult, Tool } from "./registry.js";

/** Whether programs are checked against a learned type. */
export const isLocked = (learned: LearnedResult | undefined): learned is LearnedResult =>
  learned?.level === "locked" && !learned.stale;

type ResultTypes = Pick<Tool, "result_schema" | "learned_result">;

/** The type of results: declared, else learned. */
export const resultSchema = ({ result_schema, learned_result }: ResultTypes): JsonSchema | undefined =>
  result_schema ?? learned_result?.schema;

/** The declared type of results, or a learned type that is locked. */
export const knownResult = ({ result_schema, learned_result: learned }: ResultTypes): JsonSchema | undefined =>
  result_schema ?? (isLocked(learned) ? learned.schema : undefined);

/** `learned from 30+ calls`, as help shows it. */
export const learnedFrom = ({ calls, level, stale, pinned }: LearnedResult): string =>
  pinned
    ? "written by a person"
    : `learned from ${calls} calls${stale ? " of an earlier definition" : level === "hint" ? ", not certain" : ""}`;
