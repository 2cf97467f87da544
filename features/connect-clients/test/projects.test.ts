/** Projects that are connected to the same client: no entry replaces that of another one. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsedValues } from "../../../runtime/cli/client-text.js";
import { CLIENTS, filesOf } from "../../../runtime/cli/clients.js";
import { isUsageError } from "../../../runtime/contract/usage-error.js";
import { temporaryFolder } from "../../../test/support/project.js";
import { connectClient } from "../connect.js";
import type { ConnectFlags } from "../setting.js";

const URL_ONE = "https://one.example/mcp";

describe.each(CLIENTS.map((client) => [client.id, client] as const))("in %s", (id, client) => {
  /** Two projects of one user, of which the first is connected; in a file that both have. */
  async function world(flags: ConnectFlags = {}) {
    const home = temporaryFolder();
    const machine = { home, platform: "linux", env: {} } as const;
    const roots = ["one", "two"].map((name) => join(home, name));
    for (const root of roots) mkdirSync(join(root, "definitions"), { recursive: true });
    const [one = "", two = ""] = roots;
    const fileIn = (root: string): string => filesOf(client, root, machine)[0]?.path ?? "";
    const run = async (root: string, more: ConnectFlags = {}): Promise<string> => {
      let said = "";
      const write = (text: string): void => {
        said += text;
      };
      const setting = {
        root,
        launcher: "/opt/generator/launch.mjs",
        out: write,
        err: write,
        paint: (_: unknown, text: string) => text,
      };
      expect(await connectClient(setting as never, id, { write: true, yes: true, ...more }, machine)).toBe(0);
      return said;
    };
    await run(one, flags);
    if (fileIn(one) !== fileIn(two)) {
      mkdirSync(dirname(fileIn(two)), { recursive: true });
      writeFileSync(fileIn(two), readFileSync(fileIn(one)));
    }
    const entries = async () => {
      const values = await parsedValues(readFileSync(fileIn(two), "utf8"), client.format);
      return values?.[client.member] as Readonly<Record<string, object>>;
    };
    return { one, two, run, entries };
  }

  test("the entry of another project stays, and ours has a name of its own, each time", async () => {
    const { one, two, run, entries } = await world();
    const before = (await entries())["toolwright"];
    expect(JSON.stringify(before)).toContain(one);
    expect(await run(two)).toContain(
      "has toolwright for another project, which is kept: the name for this one is toolwright-two",
    );
    const after = await entries();
    expect(after["toolwright"]).toEqual(before);
    expect(JSON.stringify(after["toolwright-two"])).toContain(two);
    expect(await run(two)).toContain("nothing to do");
    expect(Object.keys(await entries())).toHaveLength(2);
    const named = run(two, { name: "toolwright" });
    await expect(named).rejects.toSatisfy((error) => isUsageError(error) && /choose another name/.test(error.message));
  });

  test("our own entry is changed in its place", async () => {
    const { two, run, entries } = await world();
    await run(two);
    await run(two, { allowWrite: true });
    expect(JSON.stringify((await entries())["toolwright-two"])).toContain("--allow-write");
    expect(Object.keys(await entries())).toHaveLength(2);
  });

  test.skipIf(client.remote === undefined)("a server at another URL stays, too", async () => {
    const { two, run, entries } = await world({ url: URL_ONE });
    await run(two, { url: "https://two.example/mcp" });
    expect(JSON.stringify((await entries())["toolwright"])).toContain(URL_ONE);
    expect(JSON.stringify((await entries())["toolwright-two"])).toContain("https://two.example/mcp");
  });
});
