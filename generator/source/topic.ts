/** The topic of an op, by which help groups long lists. */

import { wordsIn } from "../../runtime/contract/typo.js";
import type { Definition } from "../core/ir.js";

/** Longest topic, in characters. */
const MAX_TOPIC_LENGTH = 40;

/**
 * A tag or the name of a type as one word; nothing if it has no letters or is too long.
 *
 * @example topicOf("Code scanning") // { topic: "code_scanning" }
 */
export function topicOf(text: string): Pick<Definition, "topic"> {
  const topic = wordsIn(text).join("_");
  return topic === "" || topic.length > MAX_TOPIC_LENGTH ? {} : { topic };
}
