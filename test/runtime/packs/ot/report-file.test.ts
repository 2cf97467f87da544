/** Where `ot.stats` may write a report, and what is left unchanged otherwise. */

import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportPath, writeReport } from "../../../../runtime/packs/ot/report-file.js";
import { cannotWrite } from "../../../../runtime/packs/ot/written-file.js";
import { temporaryFolder } from "../../../support/project.js";
import { runs } from "../../../support/random.js";

const MARK = { text: "<our mark>", within: 64 };
const PAGE = `<!doctype html>${MARK.text}<p>figures`;

/** A working directory, in a folder with something that it must not touch. */
function workingDirectory(): { readonly root: string; readonly outside: string } {
  const outside = temporaryFolder();
  const root = join(outside, "project");
  for (const folder of [".onetool", "definitions", "generated", "docs"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(outside, "secret.html"), PAGE);
  writeFileSync(join(root, "mine.html"), "<p>mine");
  writeFileSync(join(root, "late.html"), `${" ".repeat(MARK.within)}${MARK.text}`);
  writeFileSync(join(root, "plain"), "text");
  mkdirSync(join(root, "folder.html"));
  spawnSync("sh", ["-c", "mkfifo pipe.html"], { cwd: root });
  symlinkSync(outside, join(root, "out"));
  symlinkSync(join(root, "docs"), join(root, "to-docs"));
  symlinkSync(join(root, ".onetool"), join(root, "docs", "state"));
  symlinkSync(join(outside, "secret.html"), join(root, "link.html"));
  symlinkSync(join(outside, "nothing.html"), join(root, "dangling.html"));
  symlinkSync("loop.html", join(root, "loop.html"));
  return { root, outside };
}

/** Everything below a folder: names, and the text of files. */
const contents = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((one) => {
      const path = join(one.parentPath, one.name);
      return one.isFile() ? `${path} ${readFileSync(path, "utf8")}` : `${path} ${one.isSymbolicLink()}`;
    })
    .sort();

/** What `ot.stats` answers: nothing where it wrote. */
async function written(root: string, output: string): Promise<string> {
  try {
    await writeReport(await reportPath(root, output, MARK), PAGE);
    return "";
  } catch (error) {
    return cannotWrite({}, output, error);
  }
}

const REFUSED: readonly (readonly [output: string, reason: string])[] = [
  ["../stats.html", "it is outside the working directory"],
  ["docs/../../stats.html", "it is outside the working directory"],
  ["../project-2/stats.html", "it is outside the working directory"],
  ["..", "the name does not end in .html"],
  [".", "the name does not end in .html"],
  ["stats.htm", "the name does not end in .html"],
  ["stats.html/", "the name does not end in .html"],
  ["stats.html.js", "the name does not end in .html"],
  ["stats.html\0.js", "the name does not end in .html"],
  ["a\0b.html", "ERR_INVALID_ARG_VALUE"],
  [".onetool/x.html", ".onetool/ is no place for reports"],
  ["definitions/x.html", "definitions/ is no place for reports"],
  ["generated/help/x.html", "generated/ is no place for reports"],
  ["definitions/../.onetool/x.html", ".onetool/ is no place for reports"],
  ["./docs/.././/generated/x.html", "generated/ is no place for reports"],
  [".OneTool/x.html", ".onetool/ is no place for reports"],
  ["Definitions/x.html", "definitions/ is no place for reports"],
  ["GENERATED/x.html", "generated/ is no place for reports"],
  ["definition\u017f/x.html", "definitions/ is no place for reports"],
  ["\uff47enerated/x.html", "generated/ is no place for reports"],
  ["definitions./x.html", "definitions/ is no place for reports"],
  ["generated. /x.html", "generated/ is no place for reports"],
  ["out/stats.html", "a folder of the path is a link"],
  ["out/new/stats.html", "a folder of the path is a link"],
  ["to-docs/stats.html", "a folder of the path is a link"],
  ["docs/state/x.html", "a folder of the path is a link"],
  ["link.html", "it is a link"],
  ["dangling.html", "it is a link"],
  ["loop.html", "it is a link"],
  ["folder.html", "something that is no file has this name"],
  ["pipe.html", "something that is no file has this name"],
  ["mine.html", "a file that is no report of ot.stats has this name"],
  ["late.html", "a file that is no report of ot.stats has this name"],
  ["plain/x.html", "a folder of the path is a file"],
  ["mine.html/x.html", "a folder of the path is a file"],
  [`${"n".repeat(300)}.html`, "ENAMETOOLONG"],
];

describe.skipIf(process.platform === "win32")("refused, and everything stays as it was", () => {
  test.each(REFUSED)("the name %j, since %s", async (output, reason) => {
    const { root, outside } = workingDirectory();
    const before = contents(outside);
    expect(await written(root, output)).toBe(`Error: Cannot write to '${output}': ${reason}`);
    expect(contents(outside)).toEqual(before);
  });

  test("an absolute path, inside and outside; no error says where the project lies", async () => {
    const { root, outside } = workingDirectory();
    for (const output of [join(root, "stats.html"), join(outside, "stats.html")])
      expect(await written(root, output)).toBe(
        `Error: Cannot write to '${output}': the path is not relative to the working directory`,
      );
    for (const [output] of REFUSED) expect(await written(root, output)).not.toContain(outside);
  });

  test.skipIf(process.getuid?.() === 0)("a folder without permission", async () => {
    const { root } = workingDirectory();
    mkdirSync(join(root, "shut"), { mode: 0o500 });
    expect(await written(root, "shut/x.html")).toBe("Error: Cannot write to 'shut/x.html': EACCES");
  });

  test("no path made of hostile parts leaves the working directory, or reaches what is kept", async () => {
    const part = fc.constantFrom(
      "..",
      ".",
      "",
      "docs",
      "new",
      "out",
      "to-docs",
      "definitions",
      ".onetool",
      "GENERATED",
      "x",
    );
    const { root, outside } = workingDirectory();
    const open = ["docs", "new", "x", "x.html"].map((name) => join(root, name));
    const watched = () => contents(outside).filter((line) => !open.some((path) => line.startsWith(path)));
    const before = watched();
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        await written(root, [...parts, "x.html"].join("/"));
        expect(watched()).toEqual(before);
      }),
      runs(300),
    );
  });
});

describe("written", () => {
  test.each([
    "stats.html",
    "./stats.html",
    "docs/stats.html",
    "a/b/c/stats.html",
    "docs/../stats.html",
    "generated.html",
    "docs/definitions/x.html",
    ".html",
    "Größe 1 & 'x'.html",
  ])("%s, whole, with nothing beside it", async (output) => {
    const { root } = workingDirectory();
    expect(await written(root, output)).toBe("");
    expect(readFileSync(join(root, output), "utf8")).toBe(PAGE);
    expect(contents(root).filter((line) => line.includes(".tmp"))).toEqual([]);
  });

  test("over an older report; a second name of it keeps the older one", async () => {
    const { root } = workingDirectory();
    writeFileSync(join(root, "stats.html"), `${PAGE} of yesterday`);
    linkSync(join(root, "stats.html"), join(root, "copy"));
    expect(await written(root, "stats.html")).toBe("");
    expect(readFileSync(join(root, "stats.html"), "utf8")).toBe(PAGE);
    expect(readFileSync(join(root, "copy"), "utf8")).toBe(`${PAGE} of yesterday`);
  });

  test("by several at once: a whole report, and nothing beside it", async () => {
    const { root } = workingDirectory();
    const answers = await Promise.all(Array.from({ length: 8 }, () => written(root, "new/stats.html")));
    expect(answers).toEqual(Array.from({ length: 8 }, () => ""));
    expect(readdirSync(join(root, "new"))).toEqual(["stats.html"]);
  });

  test("below a working directory that is itself reached by a link", async () => {
    const { root, outside } = workingDirectory();
    const other = join(outside, "by-link");
    symlinkSync(root, other);
    expect(await written(other, "stats.html")).toBe("");
    expect([existsSync(join(root, "stats.html")), lstatSync(other).isSymbolicLink()]).toEqual([true, true]);
  });
});
