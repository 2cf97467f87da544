/** The vocabulary of verbs, which decides the kind and hints of an op. `vocabulary.verbs` in toolwright.yaml extends it. */

import type { Kind } from "../../runtime/contract/registry.js";
import { READ, REPEATABLE, VERB_CLASSES, type VerbMeaning, WRITE } from "../../runtime/contract/search/verbs.js";

/**
 * How likely a word in a name is a verb.
 *
 * `sure`: in any position (`create`, `fetch`). `likely`: possibly a noun if another verb leads (`list`, `update`). `either`: as
 * often a noun (`post`, `query`), so that any other verb overrides it.
 */
export type Grade = "sure" | "likely" | "either";

/** Kind and hints of the ops that a verb names. */
export interface Verb extends VerbMeaning {
  readonly grade: Grade;
  /** Set for a configured verb, which no rule overrides. */
  readonly given?: true;
}

/**
 * Words by their meaning, in code-unit order, without duplicates: those in no class of {@link VERB_CLASSES}, and those of a class whose kind or
 * grade differs. A verb of a class is `sure`. Other words are unknown and count as writes.
 */
export const VOCABULARY: readonly (readonly [VerbMeaning, Grade, string])[] = [
  [
    READ,
    "sure",
    "analyse analyze assess autocomplete calc calculate classify compare consult decode desc detect diagnose " +
      "discover echo examine explain explore gather geocode grep identify infer interpret introspect investigate " +
      "look observe parse peek ping plot predict probe recognize recommend rerank suggest summarise summarize " +
      "think tokenize transcribe translate traverse troubleshoot visualise visualize wait whoami",
  ],
  [
    READ,
    "likely",
    "aggregate ask count download encode extract find list lookup measure poll read recall scrape search solve " +
      "verify visit",
  ],
  [
    READ,
    "either",
    "audit blame cat check compute diff dump estimate filter forecast hash help lint match preview query rank " +
      "reason research sample scan screenshot stat tail top trace view whois",
  ],
  [
    WRITE,
    "sure",
    "ack acknowledge acquire allocate amend announce anonymise anonymize apply authenticate authorise authorize " +
      "autofix backfill ban befriend bind bootstrap bury buy checkin chmod chown clear click combine compose compress " +
      "configure confirm connect consume convert deallocate decommission decompress decrement decrypt deflate " +
      "defriend delegate demote dequeue deregister detach disassociate discard disclose disconnect downgrade emit emulate " +
      "encrypt enforce enqueue enroll escalate evaluate evict evolve expire expose extend finalize finish flush " +
      "forget freeze fulfil fulfill fuse give grow handoff hide hire hover impersonate increment inflate ingest " +
      "init initialise initialize inject instantiate invalidate isolate join kick login logout mangle memorize " +
      "migrate mkdir munge mutate mute mv navigate normalize notify nuke obfuscate optimize organize overwrite " +
      "pause pay perform persist populate prepend prioritize produce promote propose provision quarantine quit " +
      "raise react rearrange reboot redact redo reduce remember renew reopen reorganise reorganize repair " +
      "reprioritize reserve resize resolve respond restart revoke rotate sanitize save say scaffold scrub sell " +
      "shrink signin signup snooze strip suspend switch synchronize synthesise synthesize toggle transform trim " +
      "trust tweak unarchive unassign undo unfriend uninstall unlink unmute unregister unresolve unset unsubscribe unveil " +
      "unzip withdraw write",
  ],
  [
    WRITE,
    "likely",
    "archive arrange associate boot bump change checkout clean cleanup clone close compact compile complete " +
      "copy deploy drag draw eval exec exit fill fix flip follow force forward gen goto install lift load lower " +
      "manage mark mount open play prepare press put rebuild refresh register reload reset restore rollback run " +
      "schedule scroll select ship shutdown skip slash sort split start stop subscribe swipe sync teardown " +
      "throttle touch trigger upload vacuum wake watch zip",
  ],
  [
    WRITE,
    "either",
    "alert answer backup bid block branch broadcast build burn cache call charge claim comment commit control " +
      "crawl deposit dispatch draft duplicate embed empty end exchange export flag focus fork grant handle hold " +
      "import index interact invite label launch leave like lock log mask merge mint new order pack paint patch " +
      "pin plant pledge post print process pull purchase push rate rebase record refund release reply report " +
      "request resume review scale seed setup share sign spawn stake star stash store swap tag tap test trade " +
      "train transfer transition tune turn type upgrade vote zoom",
  ],
  [REPEATABLE, "sure", "rmdir truncate upsert wipe"],
  [REPEATABLE, "likely", "drop move prune set update"],
  [REPEATABLE, "either", "link"],
];

const BUILT_IN: ReadonlyMap<string, Verb> = new Map(
  [...VERB_CLASSES.map(([, says, words]) => [says, "sure", words] as const), ...VOCABULARY].flatMap(
    ([says, grade, words]) => words.split(" ").map((word) => [word, { ...says, grade }] as const),
  ),
);

/** The whole vocabulary: the built-in verbs and the configured ones, which are `sure`. */
export function verbs(configured: Readonly<Record<string, Kind>> = {}): ReadonlyMap<string, Verb> {
  const given = Object.entries(configured).map(([verb, kind]) => {
    const says = kind === "read" ? READ : WRITE;
    return [verb.toLowerCase(), { ...says, grade: "sure", given: true }] as const;
  });
  return new Map<string, Verb>([...BUILT_IN, ...given]);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/**
 * Writes that add something or edit what they name, and leave the rest. Other writes count as destructive, as in MCP, where
 * that is the default.
 */
export const ADDITIVE: ReadonlySet<string> = words(
  "ack acknowledge activate add adjust allocate amend announce append assign associate attach authenticate authorise " +
    "authorize bind book boot broadcast claim clone comment complete compose configure connect copy create deliver " +
    "draft draw duplicate edit embed emit enable enqueue enroll extend follow fork fulfil fulfill generate give " +
    "increment ingest insert install instantiate invite join label launch like link login mark mkdir modify mount move " +
    "new notify open order patch pin post prepend produce propose provision publish purchase push react record " +
    "register remember rename renew reopen reply report request resend reserve resolve respond review say schedule " +
    "seed send set setup share sign signin signup star start submit subscribe tag transcribe unarchive unmute update " +
    "upload vote watch",
);

/** Words that say of removal, replacement or reset, wherever they stand; as a verb of their own, they are not additive either. */
const REMOVAL = words(
  "annihilate annul anonymise anonymize archive autodestruct cancel clobber cull deactivate decommission delete demolish deprovision " +
    "deregister destroy destruct detach disassociate discard disconnect dispose drop eject eliminate erase evict expel expunge " +
    "exterminate flush forget invalidate kill nuke nullify obliterate overwrite prune purge raze recreate redact reimage remove " +
    "replace rescind reset revert revoke rollback scrub shred squash supersede teardown terminate trash truncate unassign uninstall " +
    "unlink unpublish unregister unset unsubscribe vacate vacuum vaporize void wipe withdraw zap zeroize",
);
const REMOVAL_NOUNS = words(
  "anonymization cancellation cleanup deletion destruction erasure expired gone irreversible irreversibly lost overwritten permanently " +
    "removal replacement revocation termination truncation undone withdrawn",
);

/** Whether a word says of removal, replacement or reset, in any of its forms: `deletes`, `wiped`, `resetting`, `removal`. */
export const saysRemoval = (word: string): boolean =>
  REMOVAL_NOUNS.has(word) ||
  REMOVAL.has(word) ||
  [/s$/, /d$/, /es$/, /(?:ed|ing)$/, /(.)(?:ed|ing)$/].some((ending) => REMOVAL.has(word.replace(ending, ""))) ||
  REMOVAL.has(word.replace(/ing$/, "e"));

/** Languages whose statements may write, so that a `query` may too. */
export const STATEMENTS: ReadonlySet<string> = words(
  "bigquery clickhouse cypher d1 database databricks db duckdb graphql gremlin mariadb mssql mysql neo4j oracle postgres " +
    "postgresql redshift snowflake soql spanner sparql sql sqlite sqlserver statement",
);

/** Words for information: a name without a verb that ends in one of them (`queue_details`) is a read. */
export const INFORMATION: ReadonlySet<string> = words(
  "activity analytics capabilities changelog definitions details diagnostics directions docs documentation " +
    "elevation guide health history info information insights instructions log logs metadata metrics news " +
    "overview results schema statistics stats status summary usage weather",
);

/** Pictures, which are returned and not stored: generating one changes nothing. */
export const PICTURES: ReadonlySet<string> = words("chart diagram graph histogram map plot treemap");

/** Verbs that are also names of things which are listed: `branch_list` lists branches, but `export_list` exports a list. */
export const THINGS: ReadonlySet<string> = words(
  "alert answer backup bid block branch broadcast call charge claim comment commit deposit draft flag fork grant " +
    "index invite label log order patch process record refund release reply report request review stake stash " +
    "test trade transition type vote",
);

/** Verbs for reads that are also names of things: `trigger_backup_fetch` triggers a fetch, but `trigger_get` gets a trigger. */
export const READ_THINGS: ReadonlySet<string> = words(
  "browse consult display echo estimate fetch infer look observe peek ping plot probe retrieve show think validate wait",
);

/** Names of arguments that choose between operations. */
export const OPERATIONS: ReadonlySet<string> = words("action command method mode op operation verb");

/** Names of what reads: a name without a verb that ends in one of them (`pdf-reader`) is a read. */
export const READERS: ReadonlySet<string> = words(
  "analyser analyzer checker decoder detector extractor fetcher finder inspector lister parser reader retriever " +
    "scraper searcher validator viewer",
);

/** Words of arguments that say where a download is stored; a download with one of them is a write. */
export const STORED_AT: ReadonlySet<string> = words(
  "dest destination dir directory file filename filepath folder output overwrite path save target",
);
