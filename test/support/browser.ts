/** A real browser for tests: Chromium at the path in `TOOLWRIGHT_TEST_CHROMIUM`, or with `SLOW=1` where Debian installs it. */

import { existsSync } from "node:fs";
import { RUNS_SLOW } from "./random.js";

const PLACES = [process.env["TOOLWRIGHT_TEST_CHROMIUM"] ?? "", RUNS_SLOW ? "/usr/bin/chromium" : ""];

/** Its program; undefined where none is installed, and where an installed one is not to be used. */
export const CHROMIUM = PLACES.find((path) => path !== "" && existsSync(path));

const REASON = RUNS_SLOW
  ? "it is not installed; apt-get install chromium"
  : "an installed one needs SLOW=1, another TOOLWRIGHT_TEST_CHROMIUM=/path/to/it";

/** What a suite in the browser is called: says why it is skipped. */
export const BROWSER = CHROMIUM === undefined ? `in Chromium (skipped: ${REASON})` : "in Chromium";
