/**
 * Kinds derived from names against `readOnlyHint`: names of real servers' tools are classified with hidden annotations
 * and compared with them.
 *
 * The precision of reads matters for safety, since a read runs without consent. Every annotated tool counts, also if no
 * word of its name is known. The vocabulary and its grammar were developed on every second server and measured on the
 * others (reads: precision 96.2 %, recall 84.1 %, 87.6 % where the name decides), then improved by general findings
 * from those, so that neither half is unseen now. Both are held to the bounds where the name decides.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Kind } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { verbIn } from "../../generator/pass/verb-of.js";
import { verbs } from "../../generator/pass/verbs.js";
import type { Json } from "../support/project.js";
import { SCALE } from "../support/random.js";

const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const here = existsSync(CORPORA);
const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));
const PRECISION = 0.96;
const RECALL = 0.88;

interface Case {
  readonly server: string;
  readonly tool: string;
  readonly annotated: Kind;
  /** By name alone; undefined where no word of it is known. */
  readonly named: Kind | undefined;
  readonly because: string;
}

/** Every annotated tool of every server, the benchmark's collection split. */
function cases(): readonly Case[] {
  const files = [...readdirSync(`${CORPORA}mcp`).map((name) => `mcp/${name}`), "mcp-repo/github-mcp-server.json"];
  const servers = [
    ...files.map((path) => [path.replace(/^.*\/|\.json$/g, ""), parsed(path)] as const),
    ...parsed("mcp-repo/livemcpbench.json").servers.map((one: Json) => [`live-${one.server}`, one] as const),
  ];
  const vocabulary = verbs();
  return servers.flatMap(([server, { tools }]) =>
    tools.flatMap(({ name, annotations }: Json) => {
      if (typeof annotations?.readOnlyHint !== "boolean") return [];
      const found = verbIn(name, vocabulary, server);
      const annotated = annotations.readOnlyHint ? "read" : "write";
      return [{ server, tool: name, annotated, named: found?.verb.kind, because: found?.because ?? "no known verb" }];
    }),
  );
}

/** Precision and recall of a kind: `recall` over all of that kind, `decided` over those whose name says anything. */
function figures(all: readonly Case[], kind: Kind) {
  const count = (test: (one: Case) => boolean): number => all.filter(test).length;
  const hits = count((one) => one.named === kind && one.annotated === kind);
  const said = count((one) => one.named === kind);
  const meant = count((one) => one.annotated === kind);
  const decided = count((one) => one.annotated === kind && one.named !== undefined);
  return { hits, said, meant, precision: hits / said, recall: hits / meant, decided: hits / decided };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function line(label: string, all: readonly Case[]): string {
  const of = (kind: Kind): string => {
    const { hits, said, meant, precision, recall, decided } = figures(all, kind);
    const shares = `precision ${percent(precision)} (${hits} of ${said}), recall ${percent(recall)} (of ${meant})`;
    return `${kind} ${shares}, ${percent(decided)} where the name decides`;
  };
  const known = all.filter((one) => one.named !== undefined).length;
  return `${label}: ${all.length} tools, ${percent(known / all.length)} decided; ${of("read")}; ${of("write")}`;
}

describe.skipIf(!here)(here ? "names of every annotated tool" : "../shared/corpora is not there", () => {
  const all = here ? cases() : [];
  const servers = [...new Set(all.map((one) => one.server))].sort();
  const half = (rest: number): readonly Case[] => all.filter((one) => servers.indexOf(one.server) % 2 === rest);

  test("reads are found, and nearly nothing else is taken for one", () => {
    const lines = [line("all", all), line("every second server", half(0)), line("the others", half(1))];
    const wrong = all.filter((one) => (one.named === "read") !== (one.annotated === "read"));
    const shown = wrong.filter((one) => one.named === "read" || SCALE >= 1);
    const list = shown.map(
      (one) => `\n  ${one.server} ${one.tool}: ${one.annotated}, not ${one.named ?? "unknown"} by ${one.because}`,
    );
    console.log(lines.join("\n") + list.join(""));
    const { precision, recall } = figures(all, "read");
    expect(precision).toBeGreaterThanOrEqual(PRECISION);
    expect(recall).toBeGreaterThanOrEqual(RECALL);
  });

  test.each([0, 1])("where the name decides, in half %i of the servers too", (rest) => {
    const [read, write] = [figures(half(rest), "read"), figures(half(rest), "write")];
    expect(read.precision).toBeGreaterThanOrEqual(PRECISION);
    expect(read.decided).toBeGreaterThanOrEqual(RECALL);
    expect(write.decided).toBeGreaterThanOrEqual(PRECISION);
  });
});
