/** Real git repositories with definitions, generated code and commits, for tests of `breaking`. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Ran } from "./commands.js";
import { tool } from "./generator-host.js";
import { temporaryFolder, toolwright } from "./project.js";

const GIT = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
const DAY = "2026-08-15T12:00:00Z";

/** A project in a repository of its own. */
export interface Repository {
  readonly root: string;
  /** Writes definitions and generates. */
  readonly define: (
    tools: readonly object[],
    config?: string,
    others?: Readonly<Record<string, string>>,
  ) => Promise<void>;
  readonly commit: (day?: string) => void;
  readonly breaking: (...args: readonly string[]) => Promise<Ran>;
}

/** Makes an empty repository, gone after the file. The project is in a folder of it. */
export function repository(folder = "."): Repository {
  const top = temporaryFolder(afterAll);
  const root = join(top, folder);
  const git = (args: readonly string[], day = DAY): void =>
    void execFileSync("git", ["-C", top, ...GIT, ...args], {
      env: { ...process.env, GIT_AUTHOR_DATE: day, GIT_COMMITTER_DATE: day },
    });
  mkdirSync(join(root, "definitions"), { recursive: true });
  git(["init", "--quiet", "--initial-branch=main"]);
  return {
    root,
    define: async (tools, config = "", others = {}) => {
      const files = {
        "tools.json": JSON.stringify(tools, undefined, 1),
        "toolwright.yaml": `use: []\nsources:\n  - { chat-tools: tools.json, pack: shop, kind: read }\n${config}`,
        ...others,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
      const { code, stderr } = await toolwright(["generate", "--root", root]);
      if (code !== 0) throw new Error(stderr);
    },
    commit: (day) => {
      git(["add", "--all"]);
      git(["commit", "--quiet", "--allow-empty", "--message", "state"], day);
    },
    breaking: (...args) => toolwright(["breaking", "--root", root, ...args]),
  };
}

/** The id that the tools here take. */
export const id = { type: "string", description: "Its id." };
/** Two tools of a shop. */
export const GET = tool("get_item", { id, lang: { type: "string", enum: ["de", "en"] } }, { required: ["id"] });
export const LIST = tool("list_items", { limit: { type: "integer", default: 20 } });
