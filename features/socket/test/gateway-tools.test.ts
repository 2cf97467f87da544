/** A fifth gateway tool on the socket: it is listed, answered and counted as its row says. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServedTool } from "../../../runtime/serve/gateway-tools.js";
import { liveOf } from "../../../test/runtime/gateway/fixture.js";
import { closing, ECHO, gatewayTools, gatewayWithKey, SAID } from "../../../test/runtime/serve/echo-tool.js";
import { temporaryFolder } from "../../../test/support/project.js";
import { connect } from "../../../test/support/servers/socket-connection.js";
import { openSocket } from "../server.js";

test("is listed and answered on the socket, and counts as its row says", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "run"), { mode: 0o700 });
  const path = join(root, "run", "s");
  closing(await openSocket({ live: liveOf(gatewayWithKey()), root, path, gatewayTools }));
  const client = await connect(path);
  const call = { api_key: "secret", tool: "tool_echo", arguments: SAID.input };
  expect((await client.ask("oubliette_call_tool", call)).result.structuredContent).toEqual({ ...SAID, id: "k" });
  expect((await client.ask("oubliette_call_tool", call)).error.data.code).toBe("RATE_LIMITED");
  const { result } = await client.ask("oubliette_tools", { api_key: "secret", view: "gateway" });
  expect(result.tools.at(-1).name).toBe("tool_echo");
});

test("a tool that is not offered somewhere is unknown there", async () => {
  const mute: ServedTool = { ...ECHO, offered: { mcp: "gateway" } };
  const root = temporaryFolder();
  mkdirSync(join(root, "run"), { mode: 0o700 });
  const path = join(root, "run", "s");
  closing(await openSocket({ live: liveOf(gatewayWithKey()), root, path, gatewayTools: [mute] }));
  const call = { api_key: "secret", tool: "tool_echo", arguments: {} };
  expect((await (await connect(path)).ask("oubliette_call_tool", call)).error.data.code).toBe("PERMISSION_DENIED");
});
