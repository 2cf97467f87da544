/** What is learned from calls: the types of results, and the words by which callers look for ops. */

import type { Registry, Tool } from "../../runtime/contract/registry.js";
import type { OpEntry } from "../../runtime/contract/settings/entries.js";
import { type LearnEntry, learnConfigOf, learnOf } from "./settings.js";

/** What is learned of each op. */
export interface LearnSettings {
  /** Ops whose results are learned from. */
  readonly learned: ReadonlySet<string>;
  /** Ops whose callers' words are learned. */
  readonly learnedWords: ReadonlySet<string>;
}

/** Whether the calls of an op are learned from: its entry decides, then the entry of its server, then the project's. */
export function learnSettingsOf(
  config: object,
  { tools }: Pick<Registry, "tools">,
  ops: ReadonlyMap<string, OpEntry & { readonly learn?: LearnEntry }>,
): LearnSettings {
  const own = learnConfigOf(config);
  const learn = learnOf(own);
  const isOn = ({ op, source }: Tool, part: "types" | "words"): boolean => {
    const { learn: ofServer } = own.servers?.[source.server ?? ""] ?? {};
    return (partOf(ops.get(op)?.learn, part) ?? partOf(ofServer, part) ?? partOf(learn, part)) === "on";
  };
  const opsWith = (is: (tool: Tool) => boolean): ReadonlySet<string> =>
    new Set(tools.flatMap((tool) => (is(tool) ? [tool.op] : [])));
  // Whether there is a schema, without reading it.
  const declaresResult = (tool: Tool): boolean => Object.hasOwn(tool, "result_schema");
  return {
    learned: opsWith((tool) => !declaresResult(tool) && !tool.source.shipped && isOn(tool, "types")),
    learnedWords: opsWith((tool) => tool.group !== HELP_PACK && isOn(tool, "words")),
  };
}

/** The pack of `ot.help`, whose ops are about toolwright itself. */
const HELP_PACK = "ot";

const partOf = (learn: LearnEntry | undefined, part: "types" | "words"): "on" | "off" | undefined =>
  typeof learn === "string" ? learn : learn?.[part];

/** Callers that must have used a word; undefined if the project does not say. */
export function learnedFromCallers(config: object): number | undefined {
  const { learn } = learnConfigOf(config);
  return typeof learn === "string" ? undefined : learn?.callers;
}
