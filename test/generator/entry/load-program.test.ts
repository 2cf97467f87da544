/** The code cache of the command line: used by its owner only, replaced when it is damaged, and never needed. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const LOADER = pathToFileURL(join(CHECKOUT, "generator/entry/load-program.mjs")).href;
const PROGRAM = `// 0123456789abcdef0123
exports.runCommand = async () => {
  process.exitCode = Number(process.argv[3] ?? 0);
  console.log(JSON.stringify([__filename, typeof require("node:fs").statSync, /^…$/.test("\\u2026")]));
};
`;
const OLD = new Date("2001-01-01T00:00:00Z");

const digestOf = (text: string): string => createHash("sha1").update(text).digest("hex").slice(0, 8);

/** A bundle as the build writes it. */
const wrapped = (text: string): string =>
  `${text.replace("\n", "\n(function (exports, require, module, __filename, __dirname) {\n")}});\n`;

/** A program that is loaded with a cache in a folder of its own. */
function program(text = PROGRAM, home = join(temporaryFolder(), "home")) {
  const folder = temporaryFolder();
  const file = join(folder, "program.cjs");
  const start = join(folder, "start.mjs");
  const cache = join(home, "toolwright");
  writeFileSync(file, wrapped(text));
  writeFileSync(
    start,
    `import { loadProgram } from ${JSON.stringify(LOADER)};\nawait loadProgram(${JSON.stringify(file)}).runCommand();\n`,
  );
  mkdirSync(home, { recursive: true });
  const run = (args: readonly string[] = ["help"], env: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...args], {
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "", XDG_CACHE_HOME: home, ...env },
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([file, "function", true]);
    return status;
  };
  const caches = () => {
    try {
      return readdirSync(cache).sort();
    } catch {
      return [];
    }
  };
  return { file, home, cache, run, caches };
}

/** The one cache of a program that ran once, made to look old, so that a later write shows. */
function agedCache(one: ReturnType<typeof program>): string {
  const [name] = one.caches();
  const path = join(one.cache, String(name));
  utimesSync(path, new Date(), new Date(Date.now() - 60_000));
  return path;
}

describe("the code cache of a program", () => {
  test("is written by the first run for its user alone, and used by the next", () => {
    const one = program();
    expect(one.run()).toBe(0);
    expect(one.caches()).toEqual([
      `help-0123456789abcdef0123-${digestOf(one.file)}-${process.version}-${process.arch}.bin`,
    ]);
    const path = agedCache(one);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(one.cache).mode & 0o777).toBe(0o700);
    const { mtimeMs } = statSync(path);
    expect(one.run()).toBe(0);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  test("serves a program in ASCII as one with other characters", () => {
    const one = program(PROGRAM.replace("…", "\\u2026"));
    expect([one.run(), one.run()]).toEqual([0, 0]);
    expect(one.caches()).toHaveLength(1);
  });

  test("is kept for each command, whatever a caller names as one", () => {
    const one = program();
    one.run(["serve"]);
    one.run(["../../x"]);
    one.run([]);
    expect(one.caches().map((name) => name.split("-")[0])).toEqual(["help", "serve"]);
  });

  test.each([
    ["damaged", "no code"],
    ["empty", ""],
  ])("that is %s is replaced", { tags: "full" }, (_, content) => {
    const one = program();
    one.run();
    const path = agedCache(one);
    const good = readFileSync(path);
    writeFileSync(path, content);
    expect(one.run()).toBe(0);
    expect(readFileSync(path).length).toBe(good.length);
  });

  test("is kept for a second file too, once that is loaded", () => {
    const part = 'module.part("rest.cjs").isLoaded || process.exit(9);';
    const one = program(PROGRAM.replace("{\n", `{\n  if (process.argv[2] === "serve") ${part}\n`));
    writeFileSync(join(dirname(one.file), "rest.cjs"), wrapped("// fedcba9876543210\nexports.isLoaded = true;\n"));
    expect(one.run(["help"])).toBe(0);
    expect(one.caches()).toHaveLength(1);
    expect(one.run(["serve", "0"])).toBe(0);
    expect(one.caches().map((name) => name.split("-").slice(0, 2).join("-"))).toEqual([
      "help-0123456789abcdef0123",
      "serve-0123456789abcdef0123",
      "serve-fedcba9876543210",
    ]);
  });

  test("is used again for what a server loads before and after its start, when V8 has other flags", () => {
    const later = 'await new Promise((done) => setTimeout(done, 800));\n  module.part("rest.cjs");';
    const one = program(PROGRAM.replace("{\n", `{\n  ${later}\n`));
    writeFileSync(join(dirname(one.file), "rest.cjs"), wrapped("// fedcba9876543210\nexports.isLoaded = true;\n"));
    const times = () => one.caches().map((name) => statSync(join(one.cache, name)).mtimeMs);
    expect(one.run(["serve", "0"])).toBe(0);
    const before = times();
    expect(one.run(["serve", "0"])).toBe(0);
    expect(times()).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test("holds what ran at the start alone, also if the first run collects garbage often", () => {
    const functions = Array.from(
      { length: 400 },
      (_, at) => `(function f${at}(n) { return [n, ${at}].join("${at}"); })(1);`,
    );
    // V8 drops code only in collections that it begins itself.
    const collecting = "for (let round = 0; round < 400; round++) globalThis.garbage = new Array(1e6).fill(round);";
    const one = program(
      PROGRAM.replace("\n", `\n${functions.join("\n")}\n`).replace(
        "=> {\n",
        `=> {\n  if (process.argv[2] === "collects") {${collecting}\n  }\n`,
      ),
    );
    for (const command of ["collects", "rests"]) expect(one.run([command, "0"])).toBe(0);
    const [collects = 0, rests = 0] = one.caches().map((name) => statSync(join(one.cache, name)).size);
    expect(rests).toBeGreaterThan(50_000);
    expect(collects).toBeGreaterThan(0.95 * rests);
    const times = () => one.caches().map((name) => statSync(join(one.cache, name)).mtimeMs);
    const before = times();
    for (const command of ["collects", "rests"]) expect(one.run([command, "0"])).toBe(0);
    expect(times()).toEqual(before);
  });

  test("is kept for TypeScript, of which ts-morph loads no second copy", () => {
    const same = 'require("@ts-morph/common").ts.SyntaxKind === require("ts-morph").ts.SyntaxKind || process.exit(9);';
    const one = program(PROGRAM.replace("{\n", `{\n  ${same}\n`));
    symlinkSync(join(CHECKOUT, "node_modules"), join(dirname(one.file), "node_modules"));
    expect(one.run()).toBe(0);
    expect(one.caches()).toHaveLength(2);
    const times = () => one.caches().map((name) => statSync(join(one.cache, name)).mtimeMs);
    const before = times();
    expect(one.run()).toBe(0);
    expect(times()).toEqual(before);
  });

  test("names the files of the program that runs, not those of another one with the same content", () => {
    const faulty = PROGRAM.replace("__filename", "/\\((.*):\\d+:\\d+\\)/.exec(new Error().stack)[1]");
    const one = program(faulty);
    const other = program(faulty, one.home);
    for (const each of [one, other, one, other]) expect(each.run()).toBe(0);
    expect(one.caches()).toHaveLength(2);
  });

  test("of another program with the same name is not used", () => {
    const one = program();
    one.run();
    writeFileSync(one.file, wrapped(PROGRAM.replace("0123456789", "9876543210")));
    one.run();
    expect(one.caches()).toHaveLength(2);
  });

  test.runIf(process.getuid?.() === 0)("of another user is not used", () => {
    const one = program();
    one.run();
    const path = agedCache(one);
    chownSync(path, 65534, 65534);
    expect(one.run()).toBe(0);
    expect(statSync(path).uid).toBe(0);
  });

  test("is not needed: a folder that cannot be written changes nothing", () => {
    const one = program();
    writeFileSync(one.cache, "a file where the folder would be");
    expect(one.run()).toBe(0);
    expect(readFileSync(one.cache, "utf8")).toBe("a file where the folder would be");
  });

  test("is off where Node.js is told to keep none", () => {
    const one = program();
    one.run(["help"], { NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(one.caches()).toEqual([]);
  });

  test("learns nothing from a command that is refused", () => {
    const one = program();
    expect(one.run(["help", "2"])).toBe(2);
    expect(one.caches()).toEqual([]);
  });

  test("is deleted when 256 others were written after it", () => {
    const one = program();
    mkdirSync(one.cache);
    const names = Array.from({ length: 300 }, (_, at) => `serve-${1000 + at}-v1-x64.bin`);
    for (const [at, name] of names.entries()) {
      writeFileSync(join(one.cache, name), "");
      utimesSync(join(one.cache, name), new Date(), new Date(Date.now() - 10_000 * (at + 1)));
    }
    one.run();
    expect(one.caches()).toEqual([expect.stringMatching(/^help-/), ...names.slice(0, 255)]);
  });

  test("is deleted when no process wrote it for a month; other files stay", () => {
    const one = program();
    mkdirSync(one.cache);
    for (const name of ["serve-1-v1-x64.bin", "notes.txt"]) {
      writeFileSync(join(one.cache, name), "");
      utimesSync(join(one.cache, name), OLD, OLD);
    }
    one.run();
    expect(one.caches()).toEqual([expect.stringMatching(/^help-/), "notes.txt"]);
  });
});
