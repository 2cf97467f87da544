/** As `foreign-texts.test.ts`, for files that others run or read, shells and HTML. `SECURITY.md` lists the places. */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "@ts-morph/common";
import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type ForeignProject, foreignProject } from "./support/foreign-project.js";
import { ELEMENT, FOREIGN_TEXTS, MARK, OBEYED } from "./support/foreign-texts.js";
import { runPython } from "./support/generator-python.js";
import { type Json, serve } from "./support/project.js";

const OP = "shop.update_texts";
const cleaning: (() => void)[] = [];
let project: ForeignProject;

beforeAll(async () => {
  project = await foreignProject((clean) => cleaning.push(clean));
  return () => {
    for (const clean of cleaning) clean();
  };
}, 600_000);

/** Paths of the files below a folder with one of the endings. */
const filesOf = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(join(project.root, folder), { recursive: true, encoding: "utf8" })
    .filter((one) => ending.test(one))
    .map((one) => join(folder, one));

/** Names that a program of JavaScript or TypeScript uses for a value. */
function usedIn(text: string, file: string): ReadonlySet<string> {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
  const { parseDiagnostics = [] } = source as unknown as { readonly parseDiagnostics?: readonly unknown[] };
  expect([file, parseDiagnostics.length]).toEqual([file, 0]);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Values of the texts in quotes of a program. */
function stringsIn(text: string, file: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true));
  return found;
}

/** Fails where a file holds what a terminal obeys, or nobody sees. */
function isShown(file: string, text: string): void {
  const at = OBEYED.exec(text);
  expect([file, at && text.slice(Math.max(0, at.index - 60), at.index + 20)]).toEqual([file, null]);
}

/** Fails where HTML has an element, an attribute or an address that a foreign text asks for. */
function isOurs(html: string, name: string): void {
  const { document } = parseHTML(html);
  const all = [...document.querySelectorAll("*")];
  const handlers = all.flatMap((one) => [...one.attributes].map((at) => at.name)).filter((one) => /^on/i.test(one));
  const loaded = all.map((one) => one.getAttribute("src") ?? "").filter((one) => one.includes("evil.example"));
  const addresses = all.map((one) => one.getAttribute("href") ?? "");
  const active = [...loaded, ...addresses.filter((one) => /^\s*(?:javascript|data|vbscript):/i.test(one))];
  const scripts = [...document.querySelectorAll("script")].filter((one) => one.textContent?.trim() === "throw 1");
  expect([name, document.querySelectorAll(ELEMENT).length, handlers, active, scripts]).toEqual([name, 0, [], [], []]);
}

describe("files that others run or read", { timeout: 300_000 }, () => {
  test("generated TypeScript and JavaScript have the texts in strings and comments only", () => {
    const files = filesOf("generated", /\.[mc]?[jt]s$/);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect([...usedIn(project.read(file), file)]).not.toContain("process");
  });

  test("generated files for people hold nothing that a terminal obeys, or nobody sees, and programs have the same values", () => {
    const files = filesOf("generated", /\.(?:md|txt|[cm]?[jt]s)$/);
    expect(files.some((one) => one.endsWith(".md"))).toBe(true);
    for (const file of files) isShown(file, project.read(file));
    const values = filesOf("generated", /\.[cm]?[jt]s$/).flatMap((file) => stringsIn(project.read(file), file));
    const texts = FOREIGN_TEXTS.filter((one) => OBEYED.test(one));
    expect(texts.filter((one) => !values.includes(one))).toEqual([]);
  });

  test("Python stubs and the Python client parse, and call nothing of a text", () => {
    const files = filesOf("generated", /\.pyi?$/).map((one) => join(project.root, one));
    expect(files.length).toBeGreaterThan(1);
    const expression = `[[n.id for n in __import__("ast").walk(__import__("ast").parse(open(f, encoding="utf-8").read())) if n.__class__.__name__ == "Name" and n.id == "exit"] for f in value]`;
    expect(runPython(expression, files)).toEqual(files.map(() => []));
  });

  test("JSON for other programs has exactly the texts", () => {
    for (const file of filesOf("generated", /\.json$/)) JSON.parse(project.read(file));
    const { tools }: Json = JSON.parse(project.read("generated/registry.json"));
    const { parameters_schema } = tools.find((one: Json) => one.op === OP);
    FOREIGN_TEXTS.forEach((text, i) => {
      expect(parameters_schema.properties[`a${i}`].default).toBe(text);
    });
    for (const [name, { command }] of Object.entries<Json>(
      JSON.parse(project.read("generated/registry.json")).servers ?? {},
    ))
      expect([name, command]).toEqual(["shop", "node"]);
  });

  test("pinned names and values are in the configuration as they are, and nothing else is", async () => {
    const before = parse(project.read("definitions/toolwright.yaml"));
    expect((await project.run("names", "--write")).code).toBe(0);
    await project.run("enums", "--write");
    const { ops: _, tools: __, ...rest } = parse(project.read("definitions/toolwright.yaml"));
    expect(rest).toEqual(before);
  });

  test("the entry of a client is one entry, which starts this program", async () => {
    const { code } = await project.run("connect", "claude-code", "--write", "--yes");
    expect(code).toBe(0);
    const { mcpServers }: Json = JSON.parse(project.read(".mcp.json"));
    expect(Object.values(mcpServers)).toEqual([expect.objectContaining({ command: expect.any(String) })]);
  });

  test("an annotation of a workflow is one line, and no other line is one", async () => {
    const text = project.read("generated/registry.json");
    const registry: Json = JSON.parse(text);
    for (const tool of registry.tools)
      if (tool.op === OP)
        for (const one of FOREIGN_TEXTS) tool.parameters_schema.properties[`gone ${Buffer.from(one).toString()}`] = {};
    writeFileSync(join(project.root, "before.json"), JSON.stringify(registry));
    const { stdout, stderr } = await project.run("breaking", "--against", "before.json", "--format", "github");
    const lines = stdout.split("\n").filter((one) => /^\s*::/.test(one));
    expect(lines.length).toBeGreaterThan(FOREIGN_TEXTS.length / 2);
    for (const line of lines) expect(line).toMatch(/^::(?:error|warning|notice) [^\r\n]*title=[a-z-]+::/);
    for (const line of (stdout + stderr).split("\n"))
      expect(line).not.toMatch(/^\s*::(?:set-output|add-mask|stop-commands)/);
    expect(OBEYED.exec(stdout)).toBeNull();
  });

  test("a message of a program is one document of its topic, and none looks like one of toolwright", {
    tags: "slow",
  }, async () => {
    const { client, close } = await serve(project.root, ["--allow-write"], project.env);
    const run = async (command: string) => (await client.callTool({ name: "run", arguments: { command } })).content;
    const texts = FOREIGN_TEXTS.filter((one) => !/\p{Cs}/u.test(one));
    const calls = texts.map((text) => `ot.notify(topic="t:a", message=${pythonText(text)})`).join("\n");
    expect(JSON.stringify(await run(calls))).toContain("OK");
    const refused = [
      "approvals:waiting",
      "Approvals:waiting",
      "\u200bapprovals:waiting",
      " approvals:x",
      "ａpprovals:y",
    ];
    for (const topic of refused)
      expect(JSON.stringify(await run(`ot.notify(topic=${pythonText(topic)}, message="m")`))).toContain("use another");
    await close();
    const file = project.read("notes.yaml");
    expect(OBEYED.exec(file)).toBeNull();
    const documents = parseAllDocuments(file).map((one) => one.toJS());
    expect(documents.map((one: Json) => Object.keys(one))).toEqual(texts.map(() => ["ts", "topic", "message"]));
    expect(documents.map((one: Json) => one.message)).toEqual(texts);
  });
});

const pythonText = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("HTML and shells", { timeout: 300_000 }, () => {
  test("the documentation site has the texts as texts, and its commands run nothing else", {
    tags: "slow",
  }, async () => {
    expect((await project.run("docs", "build", "--out", "site")).code).toBe(0);
    const pages = filesOf("site", /\.html$/);
    expect(pages.length).toBeGreaterThan(10);
    for (const file of filesOf("site", /\.(?:md|txt)$/)) isShown(file, project.read(file));
    const commands: string[] = [];
    for (const page of pages) {
      const html = project.read(page);
      isOurs(html, page);
      for (const code of parseHTML(html).document.querySelectorAll("pre, [data-copy]"))
        commands.push(
          ...(code.textContent ?? "")
            .split("\n")
            .filter((one: string) => /^(?:\$ )?(?:toolwright|curl|npx)\b/.test(one)),
        );
    }
    writeFileSync(
      join(project.root, "all.sh"),
      `toolwright() { :; }\ncurl() { :; }\nnpx() { :; }\n${commands.join("\n")}\n`,
    );
    const { spawnSync } = await import("node:child_process");
    spawnSync("bash", ["all.sh"], { cwd: project.root });
    expect(existsSync(join(project.root, MARK))).toBe(false);
  });

  test("the statistics report", { tags: "slow" }, async () => {
    const { client, close } = await serve(project.root, ["--allow-write"], project.env);
    await client.callTool({ name: "tool_exec", arguments: { op: FOREIGN_TEXTS.join(""), args: {} } });
    await client.callTool({ name: "run", arguments: { command: `shop.get_text()` } });
    const said = await client.callTool({ name: "run", arguments: { command: 'ot.stats(output="report.html")' } });
    await close();
    expect([said.isError && said.content, existsSync(join(project.root, "report.html"))]).toEqual([undefined, true]);
    isOurs(project.read("report.html"), "report.html");
  });
});
