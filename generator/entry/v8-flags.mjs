// Settings of V8 for each command. They change how soon V8 optimizes and collects garbage, never what a program computes. V8 prints an error for a flag that it
// does not know, so each flag is set only where it exists.
import { setFlagsFromString } from "node:v8";

/** Commands that run until they are stopped. */
const LASTING = new Set(["client", "serve"]);
/** By then such a command has answered for the first time. From then on, fast calls matter more than a fast start. */
const STARTED_AFTER_MS = 500;

/**
 * V8 optimizes a function after this many bytes of its bytecode have run: here four times as many as by default. Optimizing takes a quarter of the processor time of
 * a build on Node.js 20. Later versions of V8 compile in more steps and gain nothing.
 */
const OPTIMIZE_LATER = { flag: "--interrupt-budget", value: 300_000, own: 67_584 };
/** V8 collects garbage when the heap has grown by half since the last time; by default it may grow to four times its size. A third less memory, no more time. */
const COLLECT_OFTEN = { flag: "--heap-growing-percent", value: 50, own: 0 };
/** V8 keeps the space for new objects as small as it is at first: a server that waits needs 6 MB less. Under load this would cost time. */
const STAY_SMALL = { flag: "--semi-space-growth-factor", value: 1, own: 2 };

/**
 * Sets V8 up for a command, before the program is loaded. A command that lasts gets V8's own values back once it has started.
 *
 * @param command its first word, as in `generate`
 * @param startedAfterMs milliseconds until a command that lasts has started
 * @returns `asAtStart` runs a function with the flags of the start: V8 takes code from a cache only under the flags under which it was written. From `keepCode` on V8 keeps
 * the code of all functions, until what it returns is called; else a cache that is written after some garbage collections lacks those that ran at the start alone.
 */
export function setV8Flags(command, startedAfterMs = STARTED_AFTER_MS) {
  const later = process.versions.v8.startsWith("11.") ? [OPTIMIZE_LATER] : [];
  const flags = [...later, LASTING.has(command) ? STAY_SMALL : COLLECT_OFTEN];
  const set = (which) => {
    for (const one of flags) setFlagsFromString(`${one.flag}=${one[which]}`);
  };
  let isStarted = false;
  const started = () => {
    isStarted = true;
    set("own");
  };
  set("value");
  if (LASTING.has(command)) setTimeout(started, startedAfterMs).unref();
  let keepers = 0;
  const keep = (isOn) => setFlagsFromString(isOn ? "--no-flush-bytecode" : "--flush-bytecode");
  const asAtStart = (act) => {
    if (isStarted) set("value");
    if (keepers > 0) keep(false);
    try {
      return act();
    } finally {
      if (isStarted) set("own");
      if (keepers > 0) keep(true);
    }
  };
  const keepCode = () => {
    keepers += 1;
    keep(true);
    return () => {
      keepers -= 1;
      if (keepers === 0) keep(false);
    };
  };
  return { asAtStart, keepCode };
}
