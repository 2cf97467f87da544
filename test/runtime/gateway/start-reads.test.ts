/** What a server reads of `generated/` before it answers, and what it says where it finds something else later. */

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT, freshRoot, serve } from "../../support/project.js";

/** A root in which nothing is left of these files of `generated/` but their size, their first lines and their last one. */
function blankedRoot(files: readonly string[]): string {
  const root = freshRoot();
  const folder = join(root, "generated");
  rmSync(folder);
  cpSync(join(CHECKOUT, "generated"), folder, { recursive: true });
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    writeFileSync(join(folder, file), bytes.fill(" ", 200, bytes.length - 2));
  }
  return root;
}

test("initialize is answered without any tool of registry.json, and without the help", async () => {
  const served = await serve(blankedRoot(["registry.json", "help/index.json"]));
  try {
    expect(served.client.getServerVersion()?.name).toBe("toolwright");
    expect(served.stderr()).toBe("");
  } finally {
    await served.close();
  }
});

test("the list of tools says which file is damaged, and what to do", async () => {
  const served = await serve(blankedRoot(["registry.json"]));
  try {
    await expect(served.client.listTools()).rejects.toThrow(
      /^generated\/registry\.json is not as it was when it was opened, at .*: run "toolwright generate", then start the server again or send it SIGHUP/,
    );
  } finally {
    await served.close();
  }
});

test("so does help where its index is damaged", async () => {
  const served = await serve(blankedRoot(["help/index.json"]));
  try {
    const { value, isError } = await served.call("tool_help", { path: "ot.version" });
    expect({ isError, code: value.error.code }).toEqual({ isError: true, code: "UNAVAILABLE" });
    expect(value.error.message).toMatch(/^generated\/help\/index\.json is no JSON: run "toolwright generate"/);
  } finally {
    await served.close();
  }
});
