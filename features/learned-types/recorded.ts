/** Reads what calls and queries have shown from the state database, for `learn` and `explain`. */

import { resolve } from "node:path";
import { LOCAL_ID } from "../../runtime/access/principal.js";
import { withExistingState } from "../../runtime/cli/existing-state.js";
import type { Transaction } from "../../runtime/contract/handler.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import type { ShownOfOps } from "./explain.js";
import type { LearnSources } from "./learn.js";
import { learnedFromCallers, learnSettingsOf } from "./learn-settings.js";

/** What calls have shown about results, from the state database. @throws UsageError if there is no such database */
async function recordedSummaries(start: Start) {
  const { readSummaries } = await import("./store.js");
  return withExistingState(start, missingFor(start), readSummaries);
}

const missingFor =
  ({ root }: Start) =>
  (file: string) =>
    `there is no ${file} under ${root}: serve the project and call its ops, name the database with --state, or learn from recorded results with --from`;

/** Where `learn` reads what calls and queries have shown. @param root - the folder of the project */
export const learnSources = (start: () => Promise<Start>, root: string): LearnSources => ({
  recorded: async () => (await rules()).judgedOps(await recordedSummaries(await start())),
  samples: async (folder, tools) => {
    const { readSamples } = await import("./samples.js");
    return (await rules()).judgedOps(readSamples(resolve(root, folder), tools));
  },
  words: async () => recordedWords(await start()),
  forget: async (caller) =>
    withCaller(await start(), caller, ({ deleteCallerWords }, tx, key) => deleteCallerWords(tx, key)),
  held: async (caller) =>
    withCaller(await start(), caller, async ({ readWords }, tx, key) =>
      (await readWords(tx)).flatMap(({ op, stem, day, count, caller_key }) =>
        caller_key === key ? [{ op, word: stem, day, queries: Number(count) }] : [],
      ),
    ),
  learns: async (registry) => {
    const [{ opSettings }, { config }] = await Promise.all([import("../../runtime/config/settings.js"), start()]);
    return learnSettingsOf(config, registry, opSettings(config, registry));
  },
  firstFound: firstFoundIn,
});

/** The op that a search for a word finds first; undefined if it finds none. The index is made with the first word. */
async function firstFoundIn(registry: Registry): Promise<(word: string) => string | undefined> {
  const [{ opSearchOf }, { indexRegistry }] = await Promise.all([
    import("../../runtime/catalog/op-search.js"),
    import("../../runtime/catalog/registry.js"),
  ]);
  const view = indexRegistry(registry, { ops: new Map(), aliases: new Map() }).view({ level: "admin", projects: "*" });
  const project = { settings: { synonyms: new Map<string, string>() } };
  return (word) => opSearchOf(view, project)(word, 1).best[0]?.tool.op;
}

const rules = () => import("./rules.js");

/** What calls and queries have shown; nothing without a database that answers, since `explain` works without one. */
export async function recordedIfAny(start: () => Promise<Start>): Promise<ShownOfOps> {
  const { recorded, words } = learnSources(start, "");
  return { types: await recorded().catch(() => []), words: await words().catch(() => []) };
}

/** What callers have shown about words, from the state database. @throws UsageError if there is no such database */
async function recordedWords(start: Start) {
  const [{ readWords }, { judgeWords }, { callerKey, fadedDay }, { hashingWith }, { secretWithin }] = await Promise.all(
    [
      import("./words/word-rows.js"),
      import("./words/judged-words.js"),
      import("./words/own-words.js"),
      import("./hashing.js"),
      import("../../runtime/state/sealing-key.js"),
    ],
  );
  return withExistingState(start, missingFor(start), async (tx) => {
    const rows = await readWords(tx);
    if (rows.length === 0) return [];
    const hashing = hashingWith(await secretWithin(tx, "learning"));
    const { familyOf, ids } = await familiesOfKeys(start, tx);
    const counted = new Map(ids.map((id) => [callerKey(hashing, id), familyOf(id)]));
    return judgeWords(rows, fadedDay(Date.now()), {
      countedAs: (key) => counted.get(key) ?? key,
      needed: learnedFromCallers(start.config),
      local: LOCAL_ID,
    });
  });
}

/** Works on the words of a caller by its hash. @throws UsageError if there is no state database */
async function withCaller<T>(
  start: Start,
  caller: string,
  work: (rows: typeof import("./words/word-rows.js"), tx: Transaction, key: string) => Promise<T>,
): Promise<T> {
  const [rows, { callerKey }, { hashingWith }, { secretWithin }] = await Promise.all([
    import("./words/word-rows.js"),
    import("./words/own-words.js"),
    import("./hashing.js"),
    import("../../runtime/state/sealing-key.js"),
  ]);
  const keyed = async (tx: Transaction) =>
    work(rows, tx, callerKey(hashingWith(await secretWithin(tx, "learning")), caller));
  return withExistingState(start, missingFor(start), keyed, "write");
}

/** The callers with a key, and the one without: keys that made one another count as one. */
async function familiesOfKeys(start: Start, tx: Transaction) {
  const [{ keyOfRow }, { familiesOf }, { fileStore }, { queries }, { stateSettingsIn }] = await Promise.all([
    import("../../runtime/access/key-rows.js"),
    import("../../runtime/access/key-family.js"),
    import("../../runtime/access/key-file.js"),
    import("../../runtime/state/schema.js"),
    import("../../runtime/gateway/open-project.js"),
  ]);
  const rows = () => queries(tx).selectFrom("api_keys").selectAll().execute();
  const isFile = stateSettingsIn(start).url === "";
  const known = isFile ? await fileStore(start.root).all() : (await rows()).flatMap((row) => keyOfRow(row) ?? []);
  return { familyOf: familiesOf(known), ids: [LOCAL_ID, ...known.map(({ key_id }) => key_id)] };
}
