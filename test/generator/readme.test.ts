import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BREAKING_RULES } from "../../generator/breaking/rules.js";
import type { Budget } from "../../generator/emit/budget.js";
import { RULES } from "../../generator/rules.js";

import { acceptedTable, readAccepted } from "../bench/accepted.js";

const README = new URL("../../README.md", import.meta.url);

/** Parameters that read as their own names: `<tool>`. */
const named = new Proxy(
  {},
  { get: (_, name) => Object.assign([`<${String(name)}>`], { toString: () => `<${String(name)}>` }) },
);

/** The rule table of the README, from the catalogue. */
function table(): string {
  const rows = Object.entries(RULES).map(([code, { severity, message, fix }]) => {
    const say = (text: (params: never) => string): string =>
      String(text(named as never))
        .replaceAll('["', "")
        .replaceAll('"]', "")
        .replaceAll("|", "\\|")
        .replaceAll("<", "&lt;");
    return `| ${code} | ${severity} | ${say(message)} | ${say(fix)} |`;
  });
  return `| code | severity | fact | remedy |\n|---|---|---|---|\n${rows.join("\n")}`;
}

/** The table of what `breaking` finds, from its catalogue. */
function breakingTable(): string {
  const rows = Object.entries(BREAKING_RULES).map(
    ([code, { level, surface, about }]) => `| ${code} | ${level} | ${surface.join(", ")} | ${about} |`,
  );
  return `| rule | level | touches | fact |\n|---|---|---|---|\n${rows.join("\n")}`;
}

test("the README's tables are the catalogues and the accepted bench; UPDATE=1 rewrites them", () => {
  const text = readFileSync(README, "utf8");
  const filled = (whole: string, name: string, rows: string): string =>
    whole.replace(
      new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
      (_, open, close) => `${open}${rows}\n${close}`,
    );
  const run = readAccepted();
  const tables = filled(filled(text, "rules", table()), "breaking rules", breakingTable());
  const wanted = run ? filled(tables, "bench", acceptedTable(run)) : tables;
  if (process.env["UPDATE"]) writeFileSync(README, wanted);
  else expect(text).toBe(wanted);
});

test("the README's token figures are those of budget.json", () => {
  const { exposed }: Budget = JSON.parse(readFileSync(new URL("../../generated/budget.json", import.meta.url), "utf8"));
  const text = readFileSync(README, "utf8");
  expect(text).toContain(`(${exposed.all_tools.toLocaleString("en-US")} tokens here)`);
  expect(text).toContain(`(${exposed.gateway} tokens)`);
  expect(text).toContain(`(${exposed.signatures.toLocaleString("en-US")} tokens;`);
});
