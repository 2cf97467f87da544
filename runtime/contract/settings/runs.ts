/** State, results, programs and their limits. */

import { PYTHON_LANGUAGE } from "../python-language.js";
import { CENTURY_DAYS } from "./parts.js";
import * as s from "./setting.js";

/** Bytes of results that `tool_exec` and `tool_batch` print, where `output.max_inline_size` does not say it. */
export const CALL_RESULT_BYTES = 24_000;

/** What is said of `engine` and `--engine`, which are still accepted. */
export const RUN_ENGINE_IGNORED = "RUN_ENGINE_IGNORED: engine has no effect: Python runs on CPython";

/** The languages of the core; `settingsWith` adds those of features. */
const CORE_LANGUAGES: readonly string[] = [PYTHON_LANGUAGE.name];

/** Keys about state, results, programs and their limits. */
export const RUN_SETTINGS = {
  state: s.expanded(
    s.textOr(
      s.group("Database: empty for .onetool/state.db, or postgres://…. A map sets more of PostgreSQL.", {
        url: s.text("As state. Default: that of the variable TOOLWRIGHT_STATE."),
        pool: s.integer(
          [1, 1000],
          "Most connections of a server to PostgreSQL, without the one that listens. Default: 10.",
        ),
        listen_url: s.filled(
          "PostgreSQL URL for the connection that listens, where state.url leads to a pooler in transaction mode. Default: state.url.",
        ),
      }),
      "${TOOLWRIGHT_STATE:-}",
    ),
  ),
  output: s.group("When a result is stored instead of printed, for how long (s), and how much of it is shown.", {
    max_inline_size: s.integer(
      [0],
      `Bytes of a result that are printed; a larger one is stored. Without it, tool_exec and tool_batch print ${CALL_RESULT_BYTES}.`,
      50_000,
    ),
    result_ttl: s.integer([0, CENTURY_DAYS * 86_400], "Seconds for which a stored result is kept.", 3600),
    preview_lines: s.integer([0], "Lines of a stored result that are shown.", 10),
    preview_bytes: s.integer([0], "Bytes of a stored result that are shown.", 2000),
  }),
  run: s.group("Programs of run.", {
    languages: s.list(
      s.choice(CORE_LANGUAGES),
      "Languages of programs; the first one is meant where code could be in either. Empty: python.",
      ["python"],
    ),
  }),
  stats: s.group("Statistics, and how long they are kept.", {
    retention_days: s.integer([0, CENTURY_DAYS], "Days for which they are kept.", 90),
  }),
  sanitize: s.group("Whether answers are wrapped as foreign content: by default, and by op.", {
    default: s.flag("For every op that ops does not name.", false),
    ops: s.map(s.flag(), "By op.", {}),
  }),
  engine: s.choice(["auto", "monty", "cpython"], "Has no effect: Python runs on CPython."),
  trust: s.choice(["none", "local"], "local: TypeScript extension tools and features of plugins may run.", "none"),
  limits: s.group("Times in ms, sizes in bytes or MB, counts.", {
    cpu_ms: s.integer([0, 300_000], "CPU time of a run.", 10_000),
    wall_ms: s.integer([0, 3_600_000], "Time of a run.", 55_000),
    call_timeout_ms: s.integer([0, 600_000], "Time of a call.", 30_000),
    memory_mb: s.integer([0, 2048], "Memory of a run.", 256),
    recursion: s.integer([0, 1000], "Depth of recursion in a run.", 500),
    host_calls: s.integer([0, 100_000], "Calls of ops in a run.", 1000),
    parallel_calls: s.integer([1, 64], "Calls of a run at the same time.", 8),
    print_bytes: s.integer([0, 100_000_000], "Printed text of a run.", 1_000_000),
    result_bytes: s.integer([0, 100_000_000], "Result of a run, a resource or a prompt.", 20_000_000),
    result_depth: s.integer([0, 200], "Levels in the value of a run.", 64),
    code_bytes: s.integer([0, 4_194_304], "Code of a run.", 262_144),
    runs: s.integer([1, 64], "Runs at the same time.", 8),
    queue: s.integer([0, 1000], "Runs that wait.", 32),
    instances: s.integer(
      [0, 64],
      "Python processes at the same time, 200 MB each; 0: as many as runs. Half of the memory bounds them.",
      0,
    ),
    instance_runs: s.integer(
      [1, 1_000_000],
      "Runs after which a Python process is replaced; 1: each run has a new one.",
      1000,
    ),
    http: s.group("Limits of HTTP.", {
      body_bytes: s.integer([1, 67_108_864], "Body of a request.", 4_194_304),
      in_flight: s.integer([1, 4096], "Requests at the same time.", 256),
      connections: s.integer([1, 65_536], "Open connections.", 1024),
      header_ms: s.integer([1, 120_000], "Time to send the headers of a request.", 10_000),
      body_ms: s.integer([1, 600_000], "Time to send the body of a request.", 30_000),
      keep_alive_ms: s.integer([1, 3_600_000], "Time without a request after which a connection is closed.", 75_000),
      requests_per_connection: s.integer([1, 1_000_000], "Requests of one connection.", 1000),
    }),
    socket: s.group("Limits of the Unix socket.", {
      line_bytes: s.integer([1, 67_108_864], "A request; a line on stdio too.", 4_194_304),
      response_bytes: s.integer([1, 134_217_728], "An answer.", 16_777_216),
      connections: s.integer([1, 65_536], "Open connections.", 256),
      strangers: s.integer([1, 65_536], "Open connections that have sent no live key.", 32),
      in_flight: s.integer([1, 4096], "Requests at the same time on a connection.", 64),
      bad_keys: s.integer([1, 1000], "Refused keys within a minute, after which a connection is closed.", 10),
      first_line_ms: s.integer([1, 120_000], "Time to the first line.", 10_000),
      idle_ms: s.integer([1, 86_400_000], "Time without a line.", 600_000),
      stalled_ms: s.integer([1, 600_000], "Time for which a client may not read.", 30_000),
      timeout_ms: s.integer([1, 3_600_000], "Time of a call that names none.", 60_000),
    }),
  }),
};
