/** Pages of the documentation, and their parts that are made by machine. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { CHECKOUT } from "./project.js";

/** Text of a page by its path from the root of the checkout. */
export const pageText = (path: string): string => readFileSync(join(CHECKOUT, path), "utf8");

/** The Markdown files in the root and below `docs/`, and the page on tests, by path from the root. */
export const docPages = (): readonly string[] =>
  [
    "test/README.md",
    ...readdirSync(CHECKOUT),
    ...readdirSync(join(CHECKOUT, "docs"), { recursive: true, encoding: "utf8" }).map((one) => join("docs", one)),
  ]
    .filter((one) => one.endsWith(".md"))
    .sort();

/** Checks that the part of a page between `<!-- name -->` and `<!-- /name -->` is this text; `UPDATE=1` writes it. */
export function expectPart(path: string, name: string, part: string): void {
  const text = pageText(path);
  const marked = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
  expect(text, `${path} has no part ${name}`).toMatch(marked);
  const wanted = text.replace(marked, (_, open, close) => `${open}${part}\n${close}`);
  if (process.env["UPDATE"]) writeFileSync(join(CHECKOUT, path), wanted);
  else expect(text).toBe(wanted);
}

/** A page in parts by its headings of the second level. */
export function section(text: string, heading: string): string {
  const [, after] = text.split(`\n## ${heading}\n`);
  expect(after, `no section ${heading}`).toBeDefined();
  return (after ?? "").split("\n## ")[0] ?? "";
}
