import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BREAKING_RULES } from "../../generator/breaking/rules.js";
import type { Budget } from "../../generator/emit/budget.js";
import { RULES } from "../../generator/rules.js";
import { HTTP_LIMITS, LIMITS } from "../../runtime/contract/config-defaults.js";
import { MESSAGE_BOUNDS, UPSTREAM_BOUNDS } from "../../runtime/contract/json-survey.js";

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

/** Cells of the table rows of README that name one of these in code marks. */
const rowsWith = (text: string, names: readonly string[]): readonly (readonly string[])[] =>
  text
    .split("\n")
    .filter((line) => names.some((name) => line.startsWith("| `") && line.split(" | ")[0]?.includes(`\`${name}\``)))
    .map((line) => line.slice(2, -2).split(" | "));

test("the README's limits are those of the code: names, defaults and ceilings", () => {
  const text = readFileSync(README, "utf8");
  const section = text.slice(text.indexOf("\n## Limits\n"), text.indexOf("\n## API keys\n"));
  const said = rowsWith(section, Object.keys(LIMITS)).flatMap(([names = "", presets = "", ceilings = ""]) => {
    const [defaults, most] = [presets, ceilings].map((cell) => cell.split(", ").map(Number));
    return [...names.matchAll(/`(\w+)`/g)].map(([, name], i) => [name, [defaults?.[i], most?.[i]]]);
  });
  expect(Object.fromEntries(said)).toEqual(LIMITS);
  const http = Object.entries(HTTP_LIMITS).map(([name, [preset]]) => `${name}: ${preset}`);
  expect(text).toContain(`limits: { http: { ${http.join(", ")} } }`);
  const numbers = [...Object.values(MESSAGE_BOUNDS), ...Object.values(UPSTREAM_BOUNDS)];
  for (const bound of numbers) expect(section).toMatch(new RegExp(`\\b${bound} (levels|parts)\\b`));
});
