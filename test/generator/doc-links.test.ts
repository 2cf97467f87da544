/** The pages of the documentation: every relative link leads to a file and a heading that are there, and the README leads to every page. */

import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import GithubSlugger from "github-slugger";
import { expect, test } from "vitest";
import { docPages, pageText } from "../support/doc-pages.js";
import { CHECKOUT } from "../support/project.js";

/** Text outside of fenced code. */
const prose = (text: string): string => text.replace(/^(`{3,}).*\n(?:.*\n)*?\1$/gm, "");

/** Anchors of the headings of a page, as GitHub makes them. */
function anchors(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const found = [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => slugger.slug(heading.trim()));
  return new Set(found);
}

interface Link {
  readonly page: string;
  readonly target: string;
}

/** Links to files and headings of the repository, outside of code. */
function relativeLinks(page: string, text = pageText(page)): readonly Link[] {
  const spoken = prose(text).replace(/(`+)[^`\n]+\1/g, "code");
  const inline = [...spoken.matchAll(/\]\(([^)\s]+)[^)]*\)/g)];
  const named = [...spoken.matchAll(/^\[[^\]]+\]: (\S+)/gm)];
  const html = [...spoken.matchAll(/\b(?:href|src)="([^"]+)"/g)];
  return [...inline, ...named, ...html]
    .map(([, target = ""]) => ({ page, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** What is wrong with a link; undefined if it leads somewhere. */
function fault({ page, target }: Link, own = pageText(page)): string | undefined {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (file.startsWith("..")) return `${page}: ${target} leads out of the repository`;
  if (!existsSync(join(CHECKOUT, file))) return `${page}: ${target} leads to no file`;
  if (anchor === undefined) return undefined;
  if (!file.endsWith(".md"))
    return statSync(join(CHECKOUT, file)).isFile() && /^L\d+/.test(anchor) ? undefined : target;
  return anchors(file === page ? own : pageText(file)).has(anchor)
    ? undefined
    : `${page}: ${target} leads to no heading`;
}

test("every relative link leads to a file and a heading", () => {
  const links = docPages().flatMap((page) => relativeLinks(page));
  expect(links.length).toBeGreaterThan(50);
  expect(links.flatMap((one) => fault(one) ?? [])).toEqual([]);
});

test("a link to a file or a heading that is missing is found", () => {
  const text = [
    "# One `two`: three",
    "[a](#one-two-three) [b](#one) [c](docs/missing.md) [`d`](docs/python.md#what-is-tested) [e](docs/python.md#no)",
    "```\n# Four\n[f](missing)\n```",
    "`[g](missing)` [h](https://example.com/missing) [i](#four) [j](../out.md)",
  ].join("\n\n");
  const found = relativeLinks("README.md", text).flatMap((one) => fault(one, text) ?? []);
  expect(found).toEqual([
    "README.md: #one leads to no heading",
    "README.md: docs/missing.md leads to no file",
    "README.md: docs/python.md#no leads to no heading",
    "README.md: #four leads to no heading",
    "README.md: ../out.md leads out of the repository",
  ]);
});

test.each(["README.md", "docs/index.md"])("%s leads to every page of docs/", (from) => {
  const targets = relativeLinks(from).map(({ target }) => normalize(join(dirname(from), target.split("#")[0] ?? "")));
  const wanted = docPages().filter((page) => page !== from && (page.startsWith("docs/") || from === "README.md"));
  expect(wanted.filter((page) => !targets.includes(page))).toEqual([]);
});

test("CONTRIBUTING.md draws folders and files that are there", () => {
  const [, tree = ""] = /```text\n(.*?)```/s.exec(pageText("CONTRIBUTING.md")) ?? [];
  let folder = "";
  const paths = tree.split("\n").flatMap((line) => {
    const [, indent = "", names = ""] = /^( *)((?:[\w-]+(?:\/|\.\w+) *)+)/.exec(line) ?? [];
    const found = names.trim().split(/ +/).filter(Boolean);
    if (indent !== "") return found.map((name) => join(folder, name));
    [folder = ""] = found;
    return found;
  });
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(join(CHECKOUT, path)))).toEqual([]);
});
