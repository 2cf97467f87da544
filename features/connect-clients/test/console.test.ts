/** The entries that the console shows for clients. */

import { expect, onTestFinished, test } from "vitest";
import { raw } from "../../../test/support/http.js";
import type { Json } from "../../../test/support/project.js";
import { serveKeys } from "../../../test/support/servers/served-keys.js";

test("entries for clients name the address, and no path of this machine to a key", async () => {
  const { root, known, server } = await serveKeys((clean) => onTestFinished(async () => void (await clean())));
  const get = (url: string) =>
    raw(server.url, {
      method: "GET",
      path: `/api/connect?${new URLSearchParams({ url })}`,
      headers: { authorization: `Bearer ${known.admin.key}` },
    });
  const { clients }: Json = JSON.parse((await get("https://tools.example/mcp")).text);
  const { ways } = clients.find(({ id }: Json) => id === "cursor");
  expect(ways.map(({ over }: Json) => over)).toEqual(["http"]);
  expect(JSON.parse(ways[0].text).mcpServers.toolwright.url).toBe("https://tools.example/mcp");
  expect(JSON.stringify(clients)).not.toContain(root);
  const refused = await get("javascript:alert(1)");
  expect([refused.status, JSON.parse(refused.text).error.message]).toEqual([
    400,
    expect.stringContaining("no http or https URL"),
  ]);
}, 120_000);
