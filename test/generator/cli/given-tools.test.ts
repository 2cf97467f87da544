/** Names of servers, APIs and files that flags name without a project. */

import { expect, test } from "vitest";
import { givenTools } from "../../../generator/cli/given-tools.js";

test.each([
  [{ stdio: ["npx -y @modelcontextprotocol/server-everything"] }, "everything"],
  [{ stdio: ["npx -y @modelcontextprotocol/server-filesystem@2026.1.1 ."] }, "filesystem"],
  [{ stdio: ["npx -y mcp-server-git"] }, "git"],
  [{ stdio: ["uvx weather-mcp-server"] }, "weather"],
  [{ stdio: ["node ./servers/notes/dist/index.js --port 1"] }, "notes"],
  [{ stdio: ["python3 -m my_server"] }, "my"],
  [{ stdio: [String.raw`C:\tools\notes.exe`] }, "notes"],
  [{ stdio: ["github=npx -y @modelcontextprotocol/server-github"] }, "github"],
  [{ stdio: ["node"] }, "tools"],
  [{ url: ["https://mcp.linear.app/mcp"] }, "linear"],
  [{ url: ["https://example.co.uk/mcp?key=a=b"] }, "example"],
  [{ url: ["http://127.0.0.1:8080/mcp"] }, "tools"],
  [{ url: ["docs=https://example.com/mcp"] }, "docs"],
  [{ openapi: ["https://api.example.com/v1/openapi.json"] }, "example"],
  [{ openapi: ["specs/pet-store.v2.yaml"] }, "pet_store_v2"],
  [{ tools: ["./src/tools.ts"] }, "tools"],
])("%j is called %s", (flags, name) => {
  expect(givenTools(flags).map((one) => one.name)).toEqual([name]);
});
