/** Runs in each test file. */

import { afterAll, vi } from "vitest";

// What a file left behind may still import modules in the background, such as an engine. Vitest ends imports with the
// file, and the later files of the thread, which share its modules, would find these half loaded.
afterAll(() => vi.dynamicImportSettled());
