/** Forty replay servers at once: every call has its specified outcome, no child is left, memory is bounded. */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { SCALE } from "../../support/random.js";
import { called } from "../../support/upstream/upstreams.js";
import { keptMb } from "../../support/used.js";

const SHARED = fileURLToPath(new URL("../../../../shared/", import.meta.url));
const REPLAY = join(SHARED, "tools", "replay-server.mjs");
const CORPORA = join(SHARED, "corpora", "mcp");
const here = existsSync(REPLAY) && existsSync(CORPORA);
const SERVERS = Math.max(4, Math.round(40 * Math.min(1, SCALE * 2)));
const CALLS = Math.max(50, Math.round(1_000 * SCALE));
/** Calls under way on one server. */
const AT_ONCE = 8;

/** Children of this process that are replay servers. */
const children = (): readonly string[] =>
  execFileSync("ps", ["--ppid", String(process.pid), "-o", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("replay-server"));

test.skipIf(!here)(
  here ? `${SERVERS} servers, ${CALLS} calls each` : "../shared is not there",
  async () => {
    const files = readdirSync(CORPORA).sort().slice(0, SERVERS);
    const servers: Record<string, ServerEntry> = {};
    for (const [i, file] of files.entries())
      servers[`s${i}`] = {
        command: process.execPath,
        args: [REPLAY, join(CORPORA, file), "--page", "20"],
        timeout: 60,
      };
    const { upstreams, tools, call, failure } = await called({ servers });
    expect(children()).toEqual([]);
    const before = keptMb();
    const started = performance.now();
    let [answered, highest] = [0, 0];
    const one = async (name: string): Promise<void> => {
      const own = [...tools.values()].filter(({ group }) => group === name);
      if (own.length === 0) return;
      let left = CALLS;
      const worker = async (): Promise<void> => {
        while (left > 0) {
          const n = left--;
          const tool = own[n % own.length];
          const value = await call(tool?.op ?? "", { n });
          expect(value).toEqual({ tool: tool?.tool_name, arguments: { n } });
          answered++;
          if (n % 500 === 0) highest = Math.max(highest, keptMb());
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    };
    await Promise.all(Object.keys(servers).map(one));
    const seconds = (performance.now() - started) / 1_000;
    const withTools = files.filter((file) => JSON.parse(readFileSync(join(CORPORA, file), "utf8")).tools.length > 0);
    expect(answered).toBe(withTools.length * CALLS);
    const grown = highest - before;
    console.log(
      `${files.length} servers, ${answered} calls in ${seconds.toFixed(1)} s (${Math.round(answered / seconds)}/s), ${grown.toFixed(0)} MB more memory at the most`,
    );
    expect(grown).toBeLessThan(100);
    expect([...upstreams.states().values()].filter(({ state }) => state === "connected")).toHaveLength(
      withTools.length,
    );
    await upstreams.close();
    await expect.poll(children).toEqual([]);
    expect((await failure([...tools.keys()][0] ?? "")).code).toBe("UNAVAILABLE");
  },
  600_000,
);
