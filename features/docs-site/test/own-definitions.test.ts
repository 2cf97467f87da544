/** The documentation site of this repository's definitions, by the command line. */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HelpDocument, type HelpIndexFile, type ListedHelp, wholeHelp } from "../../../runtime/contract/help.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import {
  CHECKOUT,
  configuredRoot,
  freshRoot,
  type Json,
  serve,
  temporaryFolder,
  toolwright,
} from "../../../test/support/project.js";
import { brokenLinks, buildSite, foreignScripts, pagesIn, partsOf, siteFilesIn } from "./sites.js";

const SLOW = { timeout: 120_000 };
const BASE = "https://onetool.beycom.online/reference/tools/";

const generated = (name: string): string => readFileSync(join(CHECKOUT, "generated", name), "utf8");
const registry: Registry = JSON.parse(generated("registry.json"));
const index: HelpIndexFile = JSON.parse(generated("help/index.json"));

/** A text as a page shows it: without marks of Markdown. */
const plain = (text: string): string =>
  text
    .replace(/^- /, "")
    .replace(/[`\\*]/g, "")
    .replace(/\s+/g, " ");

/** What a help document says in sentences, and the last line of its description. */
const proseOf = ({ policy, notes, constraints, errors, examples, description }: HelpDocument): readonly string[] => [
  ...(policy ? [...policy.do, ...policy.dont, ...policy.edge_cases] : []),
  ...[...notes, ...constraints, ...errors],
  ...examples.map((one) => one.title ?? ""),
  description.trim().split("\n").at(-1) ?? "",
];

describe("the site of our own definitions", () => {
  const cleaners: (() => void)[] = [];
  let folder = "";
  let root = "";
  let said: Json;
  const page = (path: string): string => readFileSync(join(folder, path), "utf8");

  beforeAll(async () => {
    root = freshRoot((clean) => cleaners.push(clean));
    folder = join(root, "site");
    said = await buildSite(root, folder);
  }, SLOW.timeout);
  afterAll(() => {
    for (const clean of cleaners) clean();
  });

  test("signatures and calls are in the languages of run", SLOW, async () => {
    const own = configuredRoot("run: { languages: [typescript, python] }", (clean) => void cleaners.push(clean));
    symlinkSync(join(CHECKOUT, "docs"), join(own, "docs"));
    const [out, path] = [join(own, "site"), "onto/onto.task.list/index.html"];
    await buildSite(own, out);
    const labels = (html: string): readonly string[] =>
      [...html.matchAll(/<label[^>]*>([^<]*)<\/label>/g)].map(([, name = ""]) => name);
    const shown = readFileSync(join(out, path), "utf8");
    expect(labels(shown).slice(0, 8)).toEqual([
      ...["TypeScript", "Python"],
      ...["MCP", "TypeScript", "Python", "TypeScript client", "Command line", "curl"],
    ]);
    expect(partsOf(shown).text).toContain("await onto.task.list()");
    expect(labels(page(path)).slice(0, 7)).toEqual([
      ...["Python", "TypeScript"],
      ...["MCP", "Python", "TypeScript", "Command line", "curl"],
    ]);
  });

  test("[GEN-3.4] a documentation site is built from the help output", SLOW, async () => {
    expect(said).toMatchObject({ ok: true, ops: registry.tools.length, packs: registry.packs.length, deleted: 0 });
    const pages = pagesIn(folder);
    expect(said.pages).toBe(pages.length);
    const byAddress = new Map(pages.map((one) => [partsOf(page(one)).canonical, one]));
    for (const tool of registry.tools) {
      const address = [...byAddress.keys()].find((one) => one.endsWith(`/${tool.op}/`));
      const parts = partsOf(page(byAddress.get(address ?? "") ?? ""));
      const { text } = parts;
      for (const part of [tool.summary, tool.source.file, ...tool.parameters.map((one) => one.original)])
        expect(text.replace(/\s+/g, " "), tool.op).toContain(part.replaceAll("`", "").replace(/\s+/g, " "));
      for (const way of ["tool_exec", "Python", "TypeScript", "Command line", "curl"])
        expect(text, tool.op).toContain(way);
      expect(foreignScripts(parts), tool.op).toEqual([]);
    }
    expect(brokenLinks(folder)).toEqual([]);
  });

  test("[GEN-3.4] the page of an op holds every part of its help document", SLOW, () => {
    const pages = pagesIn(folder);
    for (const tool of registry.tools) {
      const { op, signature } = tool;
      const path = pages.find((one) => one.endsWith(`/${op}/index.html`)) ?? "";
      const text = partsOf(page(path)).text.replace(/\s+/g, " ");
      const document = wholeHelp(index.ops[op] as ListedHelp, tool);
      for (const part of proseOf(document)) expect(text, op).toContain(plain(part));
      for (const name of document.see_also) expect(text.slice(text.lastIndexOf("See also")), op).toContain(name);
      const code = text.replaceAll(" ", "").replaceAll(",)", ")");
      const shown = { ...signature, python: signature.python.replace(/(?: \| None)? = '\.\.\.'/g, " | None = None") };
      for (const part of Object.values(shown)) expect(code, op).toContain(part.replaceAll(" ", ""));
      const schemas = code.lastIndexOf("Resultschema");
      const returned = code.slice(code.lastIndexOf("Result", schemas - 1), schemas);
      if (document.returns !== "unknown") expect(returned, op).toContain(document.returns.replaceAll(" ", ""));
      expect(page(path.replace(/\/index\.html$/, ".md"))).toBe(generated(`help/${op}.md`));
    }
  });

  test("permanent addresses of packs are those that ot.help prints", SLOW, async () => {
    const served = await serve(root);
    try {
      for (const { name } of registry.packs) {
        const { value } = await served.call("tool_exec", { op: "ot.help", args: { query: name } });
        const [, url = ""] = /## Docs\n(\S+)$/.exec(value.result) ?? [];
        expect(url.startsWith(BASE), name).toBe(true);
        const { canonical, text } = partsOf(page(`${url.slice(BASE.length)}index.html`));
        expect(canonical).toBe(url);
        for (const { op } of registry.tools.filter((one) => one.group === name)) expect(text).toContain(op);
      }
    } finally {
      await served.close();
    }
  });

  test("beside each page is its Markdown: that of generated/help, and in llms-full.txt all of it", () => {
    const full = page("llms-full.txt");
    const listed = page("llms.txt");
    const twins = siteFilesIn(folder).filter((one) => one.endsWith(".md"));
    for (const { op } of registry.tools) {
      const twin = twins.find((one) => one.endsWith(`/${op}.md`)) ?? "";
      expect(page(twin)).toBe(generated(`help/${op}.md`));
      expect(full).toContain(generated(`help/${op}.md`).trimEnd());
      expect(listed).toContain(`(${twin})`);
    }
    for (const path of pagesIn(folder).filter((one) => one !== "index.html" && !one.startsWith("search/")))
      expect(twins).toContain(path === "guides/index.html" ? "guides/index.md" : path.replace("/index.html", ".md"));
    for (const [, twin = ""] of listed.matchAll(/\]\(([^)]+)\)/g)) expect(siteFilesIn(folder)).toContain(twin);
  });

  test("no page has a style or a script in it, or asks another host for anything", () => {
    for (const path of pagesIn(folder)) {
      const html = page(path);
      const parts = partsOf(html);
      const { active, elements } = parts;
      expect([active, foreignScripts(parts)], path).toEqual([[], []]);
      expect(elements.has("style") || elements.has("img") || elements.has("iframe"), path).toBe(false);
      expect(html).toContain(
        "Content-Security-Policy\" content=\"default-src 'self'; base-uri 'none'; form-action 'self'",
      );
    }
  });

  test("the same again writes nothing, and in another folder, time zone and language gives the same bytes", {
    ...SLOW,
    tags: "slow",
  }, async () => {
    expect(await buildSite(root, folder)).toMatchObject({ written: 0, unchanged: said.written, deleted: 0 });
    const other = join(temporaryFolder(), "x");
    const env = { TZ: "Pacific/Auckland", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
    const { code } = await toolwright(["docs", "build", "--root", freshRoot(), "--out", other], { env });
    expect(code).toBe(0);
    expect(siteFilesIn(other)).toEqual(siteFilesIn(folder));
    for (const path of siteFilesIn(other))
      expect(readFileSync(join(other, path), "utf8") === page(path), path).toBe(true);
  });

  test("every op is in the index of the search, under its name and its description", () => {
    for (const { op, summary } of registry.tools) {
      expect(page("search/index.js")).toContain(op);
      expect(page("search/index.js")).toContain(JSON.stringify(summary.slice(0, 200)).slice(1, -1));
    }
    expect(Object.keys(index.ops)).toHaveLength(registry.tools.length);
  });
});

describe("what is in the way", () => {
  const build = (root: string, ...flags: readonly string[]) =>
    toolwright(["docs", "build", "--root", root, "--out", join(root, "out"), ...flags]);

  test("a file that no build wrote stays, and stops the build before anything is written", {
    ...SLOW,
    tags: "full",
  }, async () => {
    const root = freshRoot();
    mkdirSync(join(root, "out"));
    writeFileSync(join(root, "out/index.html"), "mine");
    const refused = await build(root);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/out\/index\.html is there.*--out/)]);
    expect(siteFilesIn(join(root, "out"))).toEqual(["index.html"]);
    rmSync(join(root, "out/index.html"));
    writeFileSync(join(root, "out/mine.txt"), "mine");
    expect((await build(root)).code).toBe(0);
    // A list of files that names what is outside removes nothing there.
    const manifest = join(root, "out/.toolwright-docs.json");
    const { files } = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(join(root, "out/old.html"), "made by an earlier build");
    writeFileSync(join(root, "outside.txt"), "mine");
    writeFileSync(
      manifest,
      JSON.stringify({ files: [...files, "old.html", "../outside.txt", join(root, "outside.txt")] }),
    );
    const again = await build(root, "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ written: 0, deleted: 1 });
    expect(readFileSync(join(root, "out/mine.txt"), "utf8")).toBe("mine");
    expect(readFileSync(join(root, "outside.txt"), "utf8")).toBe("mine");
    expect(siteFilesIn(join(root, "out"))).not.toContain("old.html");
  });

  test.each([
    ["nothing generated", [], /there is no generated\/registry\.json.*toolwright generate/],
    ["an invalid day", ["--against", ".", "--today", "soon"], /--today soon: give a day like/],
    ["an invalid address", ["--base", "docs.example.com"], /--base docs\.example\.com: give an address like/],
  ] as const)("%s is said with its remedy", async (what, flags, message) => {
    const root = what === "nothing generated" ? temporaryFolder() : freshRoot();
    if (what === "nothing generated") {
      mkdirSync(join(root, "definitions"));
      writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: []\n");
    }
    const { code, stderr } = await build(root, ...flags);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
