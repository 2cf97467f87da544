/**
 * The page `docs/approvals.md`: its files, its program and its commands, as they stand there, with servers that run and one
 * that is killed. They print what the page says, and each write happens once.
 *
 * @module-tag full
 */

import { spawn } from "node:child_process";
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { expect, test } from "vitest";
import { type Block, blocksIn, type Command, commandsOf } from "../../support/doc-blocks.js";
import { pageText } from "../../support/doc-pages.js";
import { freePort } from "../../support/ports.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../support/project.js";

const PAGE = "docs/approvals.md";
const SLOW = { timeout: 600_000, tags: ["full"] };
/** Stands before what each command prints. */
const MARK = "=== command";

/** A clone of this repository, with its packages installed. Only `definitions/` is copied: the page copies it again. */
function clone(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(CHECKOUT).filter((one) => one !== "definitions" && one !== ".git"))
    symlinkSync(join(CHECKOUT, name), join(folder, name));
  cpSync(join(CHECKOUT, "definitions"), join(folder, "definitions"), { recursive: true });
  return folder;
}

/** The file that a block holds, if its first line names one. */
const fileOf = ({ text }: Block): string | undefined => /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1];

/** The commands of a block that holds no file; packages are installed already. A block of `sh` shows no output. */
const commandsIn = (block: Block): readonly (Command & { readonly isShown: boolean })[] =>
  (fileOf(block) === undefined ? commandsOf(block) : [])
    .filter(({ line }) => line !== "npm install")
    .map((command) => ({ ...command, isShown: block.language === "console" }));

/** A block as a shell takes it: its file is written, or its commands run, each with a mark before what it prints. */
function scriptOf(block: Block): string {
  const file = fileOf(block);
  if (file !== undefined) return `cat > ${file} <<'END OF FILE'\n${block.text}END OF FILE\n`;
  return commandsIn(block)
    .map(({ line }) => `echo '${MARK}'\n{ ${line}\n} < /dev/null || echo "exit $?"\n`)
    .join("");
}

/** Runs a script in a shell of its own, which ends with all that it has started. */
function shell(script: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-s"], { cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // Nothing of it is left.
      }
      resolve(output);
    });
    child.stdin.end(script);
  });
}

/** A text whose ids, keys, digests and times are those of one run: numbered in their order. */
function stable(text: string): string {
  const seen: string[] = [];
  const numbered = (id: string): string => {
    if (!seen.includes(id)) seen.push(id);
    return `‹${seen.indexOf(id) + 1}›`;
  };
  return text
    .replace(/\b(?:run|task|proj)_[0-9a-z]{12,16}\b|\b[0-9a-f]{32}(?:[0-9a-f]{32})?\b/g, numbered)
    .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, "‹time›");
}

/** Commands with what they print, one after the other. */
const transcript = (commands: readonly Command[]): string =>
  stable(commands.map(({ line, output }) => `$ ${line}\n${output}`).join(""));

/** What became of tasks, and the writes of the program, as the state database knows them. */
function stateIn(folder: string) {
  const database = new Database(join(folder, "state.db"));
  const all = (sql: string) => database.prepare(sql).all();
  const found = {
    tasks: all("select title, version, deleted_at is not null as deleted from onto_tasks order by title"),
    writes: all("select op, status from ledger order by key"),
  };
  database.close();
  return found;
}

test(
  "the program of the page pauses, its server is killed, another one goes on, and each write happens once",
  SLOW,
  async () => {
    await toolwright(["--version"]); // What a clone builds when it is used first.
    const folder = clone();
    const [first, second] = [await freePort(), await freePort()];
    const ports = (text: string): string => text.replaceAll("8080", String(first)).replaceAll("8081", String(second));
    const blocks = blocksIn(PAGE, ports(pageText(PAGE)));
    expect(blocks.flatMap((one) => fileOf(one) ?? [])).toEqual([
      "mail.mjs",
      "definitions/toolwright.yaml",
      "tidy.py",
      "agent.mjs",
    ]);
    const commands = blocks.flatMap(commandsIn);
    expect(commands.map(({ line }) => line)).toContain("kill -9 $first");
    const keep = "{ wait $second; cp -r .onetool ../kept; cd .. &&";
    const script = blocks.map(scriptOf).join("").replace("{ cd .. &&", keep);

    const [, ...outputs] = (await shell(script, folder)).split(`${MARK}\n`);

    const printed = commands.map((one, at) => ({ ...one, output: one.isShown ? (outputs[at] ?? "") : "" }));
    expect(transcript(printed)).toBe(transcript(commands));
    expect(outputs.filter((text) => /^exit \d+$/m.test(text))).toEqual([]);
    const task = (title: string, version = 1, deleted = 0) => ({ title, version, deleted });
    expect(stateIn(join(folder, "kept"))).toEqual({
      // Each change of a task raises its version.
      tasks: [task("Book the hall", 2, 1), task("Call Anna"), task("Invite the speakers"), task("Print the badges")],
      writes: ["onto.task.delete", "onto.task.create", "onto.task.create", "mail.send"].map((op) => ({
        op,
        status: "succeeded",
      })),
    });
    expect(readdirSync(folder)).not.toContain("trial");
  },
);
