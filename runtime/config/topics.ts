/** Topics of messages, and the files in which they are kept (`topics`). */

import { literalPattern } from "../contract/op-glob.js";
import { boundedPattern } from "../contract/pattern/bounded-pattern.js";
import type { TopicEntry } from "../contract/settings/entries.js";

/** The first entry that matches a topic. */
export const entryOf = (topics: readonly TopicEntry[], topic: string): TopicEntry | undefined =>
  topics.find(({ pattern }) => isTopic(pattern, topic));

/** `*` stops at a colon, `**` does not. */
function isTopic(pattern: string, topic: string): boolean {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part === "*") return "[^:]*";
    return part.startsWith("**") ? "[^]*" : literalPattern(part);
  });
  return boundedPattern(`^${parts.join("")}$`, "u").test(topic);
}
