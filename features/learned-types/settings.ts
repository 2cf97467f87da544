/** The keys `learn`: of the project, of a server and of an op. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

const SWITCH = ["on", "off"] as const;

/** `learn` of the project. */
export const LEARN = s.wordOr(
  SWITCH,
  s.group("What is learned from calls: on, off, or a map of both parts. Needs stats.enabled.", {
    types: s.choice(
      SWITCH,
      "Whether the types of results are learned, for ops that declare none. No values are stored.",
      "on",
    ),
    words: s.choice(
      SWITCH,
      "Whether the words are learned by which callers look for ops. No queries are stored. init switches it on.",
      "off",
    ),
    callers: s.integer(
      [1, 100],
      "Callers that must have used a word before learn proposes it for all. Default: 2; 1 while all words are of calls without a key.",
    ),
  }),
);

/** `learn` of an op or a server: on or off for both parts, or a map of them. */
const learning = (about: string, types: string, words: string) =>
  s.wordOr(SWITCH, s.group(about, { types: s.choice(SWITCH, types), words: s.choice(SWITCH, words) }));

const OF_SERVER = learning(
  "What is learned from its calls: on, off, or a map of both parts. Default: as learn.",
  "Whether types of results are learned.",
  "Whether the words are learned by which callers look for its ops.",
);

const OF_OP = learning(
  "What is learned from its calls: on, off, or a map of both parts. Default: as its server. Read at run time.",
  "Whether the type of its results is learned.",
  "Whether the words are learned by which callers look for it.",
);

/** All keys. */
export const SETTINGS: readonly FeatureSetting[] = [
  { key: "ops.*.learn", setting: OF_OP },
  { key: "servers.*.learn", setting: OF_SERVER },
  { key: "learn", after: "trust", setting: LEARN },
];

/** `learn` as it is written at any of the three places. */
export type LearnEntry = s.Written<typeof LEARN>;

/** The part of `toolwright.yaml` that they are. */
export interface LearnConfig {
  readonly learn?: LearnEntry;
  readonly servers?: Readonly<Record<string, { readonly learn?: LearnEntry }>>;
}

/** They are checked when the file is read. */
export const learnConfigOf = (config: object): LearnConfig => config as LearnConfig;

/** `learn` of the project, with its defaults. */
export const learnOf = ({ learn }: LearnConfig): LearnEntry =>
  typeof learn === "string" ? learn : { ...(s.presetOf(LEARN) as object), ...learn };
