/** What is learned from calls: the types of results, and the words by which callers look for ops. */

import { withDefaults } from "../contract/config-defaults.js";
import type { Registry, Tool } from "../contract/registry.js";

/** `on` or `off`. */
type Switch = "on" | "off";

/** `learn` of the project, of a server and of an op: `on` and `off` mean both parts. */
export type LearnConfig = Switch | LearnParts;

/** The parts of `learn`. */
interface LearnParts {
  /** Types of results. */
  readonly types?: Switch;
  /** Words of queries. */
  readonly words?: Switch;
  /** Callers that must have used a word before it is proposed to all; the project sets it. */
  readonly callers?: number;
}

/** The part of a configuration that says what is learned. */
interface Learning {
  readonly learn?: LearnConfig;
  readonly servers?: Readonly<Record<string, { readonly learn?: LearnConfig }>>;
}

/** What is learned of each op. */
export interface LearnSettings {
  /** Ops whose results are learned from. */
  readonly learned: ReadonlySet<string>;
  /** Ops whose callers' words are learned. */
  readonly learnedWords: ReadonlySet<string>;
}

/** The ops of which something is learned: the entry of the op counts, then that of its server, then that of the project. */
export function learnSettingsOf(
  config: Learning,
  { tools }: Registry,
  ops: ReadonlyMap<string, Pick<Learning, "learn">>,
): LearnSettings {
  const { learn } = withDefaults(config);
  const isOn = ({ op, source }: Tool, part: "types" | "words"): boolean => {
    const { learn: ofServer } = config.servers?.[source.server ?? ""] ?? {};
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

const partOf = (learn: LearnConfig | undefined, part: "types" | "words"): Switch | undefined =>
  typeof learn === "string" ? learn : learn?.[part];

/** Callers that must have used a word; undefined if the project does not say. */
export const learnedFromCallers = ({ learn }: Pick<Learning, "learn">): number | undefined =>
  typeof learn === "string" ? undefined : learn?.callers;
