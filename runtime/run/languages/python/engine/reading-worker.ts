/** Worker that parses and rewrites long code, so that the server can answer other requests meanwhile. */

import { parentPort } from "node:worker_threads";
import { readWholly, type Vocabulary } from "../reading.js";
import type { ReadMessage } from "../reading-workers.js";

/**
 * Time limit of the parser, in milliseconds: it needs a second for correct code of 256 KB, and ten for text that is
 * not Python.
 */
const PARSE_MS = 4000;

/** Vocabularies for reading, by the keys of the sender. */
const lent = new Map<number, Vocabulary>();

parentPort?.on("message", ({ step, text, key, vocabulary, forget }: ReadMessage) => {
  for (const one of forget) lent.delete(one);
  if (vocabulary) lent.set(key, vocabulary);
  const known = lent.get(key);
  if (!known) throw new Error("the vocabulary was never sent");
  parentPort?.postMessage(readWholly(step, text, known, PARSE_MS));
});
