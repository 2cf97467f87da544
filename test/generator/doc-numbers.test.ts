/** Numbers in the prose of `docs/`: each is that of the code. Tables of limits are in `readme.test.ts`. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../runtime/contract/json.js";
import { CONFIG_DEFAULTS } from "../../runtime/contract/settings/project-settings.js";
import { CALL_RESULT_BYTES } from "../../runtime/contract/settings/runs.js";
import { ANSWER_BYTES } from "../../runtime/contract/settings/servers.js";
import { RESULT_BOUNDS } from "../../runtime/run/results.js";
import { QUERY_LIMITS } from "../../runtime/run/sql/query.js";
import { TABLE_BOUNDS } from "../../runtime/run/sql/table.js";
import { type SaidNumbers, testNumbers } from "../support/doc-numbers.js";
import { docPages, pageText } from "../support/doc-pages.js";
import { CHECKOUT } from "../support/project.js";
import { constantIn } from "../support/source-constants.js";

const [S, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const MB = 1024 * 1024;

/** A constant of a file below `runtime/`, in a unit. */
const of = (file: string, name: string, unit = 1): number => constantIn(`runtime/${file}.ts`, name) / unit;

/** What the last build of this repository counted. */
const { exposed }: { exposed: Readonly<Record<"gateway" | "signatures" | "all_tools", number>> } = JSON.parse(
  readFileSync(join(CHECKOUT, "generated/budget.json"), "utf8"),
);
const TOOLS: number = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8")).tools.length;

const { output, stats, http, access, limits } = CONFIG_DEFAULTS;
const SHOWN_LINES = of("run/result-text", "MAX_LINE_LENGTH");

const SAID: SaidNumbers = {
  "README.md": [
    ["would load # tool definitions (# tokens here)", TOOLS, exposed.all_tools],
    ["four gateway tools (# tokens)", exposed.gateway],
    ["their names and signatures (# tokens;", exposed.signatures],
  ],
  "docs/getting-started.md": [["tokens: # for the gateway tools", exposed.gateway]],
  "docs/changing-toolwright.md": [["All rows together may cost # tokens", of("contract/exposure", "GATEWAY_TOKENS")]],
  "docs/adding-a-tool.md": [
    ["within its `timeout` (seconds, # by default)", of("upstream/servers", "DEFAULT_TIMEOUT_MS", S)],
    ["`Retry-After` says, up to # minutes", of("upstream/connection", "MAX_RETRY_AFTER_MS", MINUTE)],
    ["at most # MB, within the deadline of the call", of("http-client/client", "MAX_BYTES", 1e6)],
  ],
  "docs/approvals-in-detail.md": [
    [
      "By default # hours, at most # days |",
      of("run/kept/planning", "DEFAULT_EXPIRES_MS", HOUR),
      of("config/approval-settings", "MAX_EXPIRY_MS", DAY),
    ],
    ["at most # are read at each pause, within a second", of("run/kept/call-titles", "MAX_TITLES")],
    ["At most # programs of a caller wait", of("run/kept/approval-table", "MAX_WAITING_RUNS")],
    ["a private copy of a SQLite database, up to # MB", of("state/sqlite-copy", "MAX_COPIED_BYTES", MB)],
    ["transaction is open for at most # s", of("state/postgres-trial", "TRIAL_MS", S)],
    [
      "A plan has at most # writes. Its text in an answer names the first #,",
      of("run/preview/recorder", "MAX_ENTRIES"),
      of("run/preview/plan-text", "MAX_NAMED"),
    ],
    ["The secret has at least # characters", of("config/notice-settings", "MIN_SECRET_LENGTH")],
    ["within # seconds with SQLite", of("run/kept/stop", "LOOK_MS", S)],
  ],
  "docs/deploying.md": [
    ["delayed by # ms and longer", of("access/rate", "SHORTEST_MS")],
    ["`http.drain.grace_ms` (# s)", http.drain.grace_ms / S],
    ["The files are read again every # s", of("serve/http/certificate", "READ_MS", S)],
    ["which lasts # h at most", of("access/console-logins", "LIFE_MS", HOUR)],
    ["A key has # logins at most", of("access/console-logins", "MAX_LOGINS_PER_KEY")],
    ["| # days, else `--expires-in", of("access/key-life", "LIFE_MS", DAY)],
    ["of one that ends within # days", of("access/former-keys", "OVERLAP_MS", DAY)],
    ["A key may make # calls at once and # more each second", access.rate.burst, access.rate.per_second],
    ["and one log line in # minutes", of("access/access-log", "REFUSED_MS", MINUTE)],
    ["Up to # MB are read for damage", of("state/sqlite", "MAX_CHECKED_BYTES", MB)],
    ["sends nothing for # s", of("state/postgres", "IDLE_WRITE_MS", S)],
    ["A server takes `pool` connections (#)", of("config/state-settings", "POOL")],
    ["# s where messages are polled", of("access/key-cache", "UNPUSHED_MS", S)],
    ["what is changed in the table by hand takes # s", of("access/key-cache", "PUSHED_MS", S)],
    ["takes up to # of them at once", of("access/shared-rate", "MAX_LEASE")],
    [
      "One has at most # MB; those of a caller have at most # MB together",
      RESULT_BOUNDS.bytes / MB,
      RESULT_BOUNDS.callerBytes / MB,
    ],
    ["A server leases a job for # s", of("state/jobs", "LEASE_MS", S)],
    ["looks every # s for", of("run/kept/ready-runs", "LOOK_EVERY_MS", S)],
    ["attempt 0 of #", of("state/job-table", "MAX_ATTEMPTS")],
  ],
  "docs/documentation-site.md": [["a pack of more than # ops are the groups", of("contract/groups", "MAX_LISTED_OPS")]],
  "docs/large-results.md": [
    ["They are stored from # bytes on", CALL_RESULT_BYTES],
    ["at most ten or # bytes", of("serve/fitted-answer", "START_BYTES")],
    ["one of more than # characters is broken", SHOWN_LINES],
  ],
  "docs/operating.md": [["an instrument has #\ncombinations of labels at most", of("metrics/metrics", "MAX_SERIES")]],
  "docs/packs.md": [
    ["(`limits.call_timeout_ms`, # s;", limits.call_timeout_ms / S],
    ["else # s and twice as long", of("packs/web/retry", "FIRST_WAIT_MS", S)],
    ["10 queries, # at a time", of("packs/brave/search", "MAX_PARALLEL_SEARCHES")],
    ["10 pages, # at a time", of("packs/web/fetch", "MAX_PARALLEL_PAGES")],
    ["| # MB an answer;", of("http-client/client", "MAX_BYTES", 1e6)],
    ["`llm.transform` # characters of input", of("packs/llm/transform", "MAX_INPUT_LENGTH")],
    [
      "At most # rows, # s and # MB; # results, # characters of SQL, a million rows and # columns",
      ...[
        of("packs/ot/query", "MAX_ROWS"),
        QUERY_LIMITS.ms / S,
        QUERY_LIMITS.heapBytes / MB,
        of("packs/ot/query", "MAX_TABLES"),
      ],
      ...[QUERY_LIMITS.sqlLength, TABLE_BOUNDS.columns],
    ],
    ["A result has at most # MB,", RESULT_BOUNDS.bytes / MB],
    [
      "`limits.result_bytes` (# MB); of a caller, the latest # MB and # results are kept",
      ...[limits.result_bytes / 1e6, RESULT_BOUNDS.callerBytes / MB, RESULT_BOUNDS.callerResults],
    ],
    ["`stats.retention_days` (#)", stats.retention_days],
  ],
  "docs/programs.md": [
    ["Code over # KB is parsed in a worker", of("run/languages/python/reader", "SHORT_LENGTH", 1024)],
    ["A run whose answers exceed # MB", of("run/kept/log-bound", "MAX_LOG_BYTES", MB)],
    ["Runs are deleted # days after their start", of("run/kept/run-table", "RUN_KEEP_MS", DAY)],
    ["A server that is killed holds its runs for # s", of("run/kept/run-table", "RUN_LEASE_MS", S)],
    ["has the answer # s after the end", of("run/kept/keeper", "END_MS", S)],
  ],
  "docs/python.md": [["`limits.recursion` (#)", limits.recursion]],
  "docs/reference/configuration.md": [
    ["reading of its tools may take. Default: #.", of("upstream/servers", "DEFAULT_TIMEOUT_MS", S)],
    ["a larger one is an error. Default: #.", ANSWER_BYTES.preset],
    ["without the one that listens. Default: #.", of("config/state-settings", "POOL")],
    ["tool_exec and tool_batch print #.", CALL_RESULT_BYTES],
  ],
  "docs/reference/environment.md": [
    [
      "It has # seconds; its answer is used for # minutes",
      of("config/secret-programs", "PROGRAM_MS", S),
      of("config/secret-programs", "FRESH_MS", MINUTE),
    ],
    ["for at most # seconds; no call waits", of("config/secret-programs", "START_MS", S)],
  ],
  "docs/sign-in.md": [
    ["A request to the provider takes # seconds at most", of("access/issuer-client", "ISSUER_TIMEOUT_MS", S)],
    ["At most # questions to one provider", constantIn("features/sign-in/provider-gate.ts", "MAX_ASKING")],
    ["and more than # characters", constantIn("features/sign-in/token-claims.ts", "MAX_ID_LENGTH")],
    ["at most # minutes ago", constantIn("features/sign-in/issuer-login.ts", "LOGIN_SIGN_IN_S") / 60],
    ["the lease ends after # seconds", of("connections/rows", "RENEWAL_LEASE_MS", S)],
    ["is asked for after # seconds, then", of("connections/refusals", "FIRST_MS", S)],
    ["A server may ask for # scopes", of("connections/scopes", "MAX_WANTED")],
  ],
  "docs/snippets.md": [["A template has # ms", of("run/snippet-template", "RENDER_MS")]],
  "docs/surfaces.md": [["wait # s for an answer", of("contract/client", "MAX_WAIT_MS", S)]],
  "docs/what-agents-see.md": [
    ["up to # calls of both", of("contract/request-fields", "MAX_BATCH_ENTRIES")],
    ["of more than # bytes (`output.max_inline_size`)", CALL_RESULT_BYTES],
    ["A text of more than # characters that was sent", of("contract/placeholder", "MAX_REPEATED")],
    ["a group of at most # ops", of("contract/groups", "MAX_LISTED_OPS")],
    ["`page` 1 to #.", of("catalog/help-pages", "MAX_PAGE")],
    [
      "up to # characters of a result and # of an argument",
      of("contract/op-page", "RESULT_CHARACTERS"),
      of("contract/op-page", "ARGUMENT_CHARACTERS"),
    ],
    ["in pages of #,", of("serve/mcp/pages", "ENTRIES_PER_PAGE")],
    ["with underscores; at most # characters", of("contract/wire-names", "MAX_WIRE_NAME_LENGTH")],
  ],
};

testNumbers(SAID);

/** The default of a key of the configuration. */
const presetOf = (key: string): unknown =>
  key.split(".").reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), CONFIG_DEFAULTS);

test("a number in brackets behind a key of the configuration is its default", () => {
  const found = docPages().flatMap((page) =>
    [...pageText(page).matchAll(/`([a-z_]+(?:\.[a-z_]+)+)` \((?:default )?(\d+)\)/g)].map(([, key = "", said]) => ({
      page,
      key,
      said: Number(said),
    })),
  );
  expect(found.length).toBeGreaterThan(2);
  expect(found.filter(({ key, said }) => presetOf(key) !== said)).toEqual([]);
  expect(presetOf("output.result_ttl")).toBe(output.result_ttl);
});
