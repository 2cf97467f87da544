/** The words that find an op anyway: those of its own texts. */

import type { Tool } from "./registry.js";
import { stemsOf, textWords } from "./search/tool-words.js";

/** The stems of the title, the names and the description of an op. */
export const ownStems = ({ op, tool_name, aliases, summary, description }: Tool): readonly string[] =>
  stemsOf(textWords([op, tool_name, ...aliases, summary, description].join(" ")));
