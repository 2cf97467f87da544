/** A real browser for tests: Chromium at the path in `TOOLWRIGHT_TEST_CHROMIUM`, or where Debian installs it. */

import { existsSync } from "node:fs";

const PLACES = [process.env["TOOLWRIGHT_TEST_CHROMIUM"] ?? "", "/usr/bin/chromium"];

/** Its program; undefined where none is installed. */
export const CHROMIUM = PLACES.find((path) => path !== "" && existsSync(path));

/** What a suite in the browser is called: says why it is skipped. */
export const BROWSER =
  CHROMIUM === undefined ? "in Chromium (skipped: it is not installed; apt-get install chromium)" : "in Chromium";
