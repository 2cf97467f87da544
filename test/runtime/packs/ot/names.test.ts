/** What `ot.snippets` and `ot.help` show of a snippet. */

import { expect, test } from "vitest";
import { snippetEntry } from "../../../../runtime/packs/ot/names.js";
import { runSettings } from "../../../support/run/languages.js";

const typed = {
  name: "typed",
  description: "Say hi",
  language: "typescript",
  parameters: new Map([["who", { example: "it's" }]]),
  body: "const who = '{{ who }}';\nwho\n",
};

test("a snippet that names its language is shown with it, and expands to its code", async () => {
  expect(await snippetEntry(typed, "list", runSettings({}))).toBe("typed");
  expect(await snippetEntry(typed, "min", runSettings({}))).toBe("typed: Say hi (typescript)");
  expect(await snippetEntry(typed, "full", runSettings({}))).toBe(
    [
      "name: typed",
      "description: Say hi",
      "language: typescript",
      "params:",
      "  who: {}",
      "body: |",
      "  const who = '{{ who }}';",
      "  who",
      "",
      "# Example with defaults:",
      '# $typed who="it\'s"',
      "# Expands to:",
      "const who = 'it\\'s';",
      "who",
    ].join("\n"),
  );
});
