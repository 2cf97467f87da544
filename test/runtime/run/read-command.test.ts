/** What reading a command leaves of its limits. */

import { afterEach, expect, test, vi } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { Reader } from "../../../runtime/run/languages/python/reader.js";
import { readCommand } from "../../../runtime/run/read-command.js";

const { limits, codeBytes } = runSettingsOf({});
/** Reads for so long; the code waits for other programs, or for a processor. */
const after = (ms: number): Reader => ({
  async read() {
    vi.spyOn(performance, "now").mockReturnValue(ms);
    return { kind: "code" } as never;
  },
  close: async () => undefined,
});
const read = async (ms: number) => {
  vi.spyOn(performance, "now").mockReturnValue(0);
  const request = {
    command: "1",
    reader: after(ms),
    tools: { vocabulary: {} },
    snippets: new Map(),
    codeBytes,
    limits,
  };
  return readCommand({ ...request, bounds: {} } as never);
};

afterEach(() => void vi.restoreAllMocks());

test("time that a program waits to be read is time of the run, and no processor time", async () => {
  expect(await read(20_000)).toMatchObject({ limits: { ...limits, wallMs: limits.wallMs - 20_000 } });
});

test("a program that waited until its time was over has a tenth of a second", async () => {
  expect(await read(limits.wallMs)).toMatchObject({ limits: { ...limits, wallMs: 100 } });
});
