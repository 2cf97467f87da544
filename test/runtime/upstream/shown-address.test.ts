/** Addresses of servers as people may see them. */

import { expect, test } from "vitest";
import { shownAddress } from "../../../runtime/upstream/servers.js";

test.each([
  ["a URL of a flag", { command: "run", args: ["--db=postgres://ann:secret@db/x"] }, "run --db=postgres://***@db/x"],
  ["a URL", { url: "https://tools.example/mcp" }, "https://tools.example/mcp"],
  ["a URL with a user", { url: "https://ann:secret@tools.example/mcp" }, "https://***@tools.example/mcp"],
  ["a URL with a query", { url: "https://tools.example/mcp?key=secret#part" }, "https://tools.example/mcp?***"],
  ["a command", { command: "npx", args: ["-y", "some-server", "--port", "80"] }, "npx -y some-server --port 80"],
  [
    "a secret flag",
    { command: "run", args: ["--api-key", "secret", "--password=secret"] },
    "run --api-key *** --password=***",
  ],
  [
    "a URL among arguments",
    { command: "run", args: ["postgres://ann:secret@db/x?y=1"] },
    "run postgres://***@db/x?***",
  ],
])("%s is shown without its secrets", (_what, entry, shown) => expect(shownAddress(entry)).toBe(shown));
