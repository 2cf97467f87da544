/**
 * Kinds derived from names and descriptions against `readOnlyHint`: tools of real servers are classified with hidden
 * annotations and compared with them.
 *
 * The precision of reads matters for safety, since a read runs without consent. Every annotated tool counts, also if
 * nothing about it is known. The servers are split in two by a digest of their names, so that a rule is tuned on one half
 * and measured on the other. The rule for descriptions was written with those of the half `tuned` in view only.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Kind } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { readVerbOf } from "../../generator/pass/description-verb.js";
import { verbIn, withArguments } from "../../generator/pass/verb-of.js";
import { verbs } from "../../generator/pass/verbs.js";
import type { Json } from "../support/project.js";
import { SCALE } from "../support/random.js";

const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const here = existsSync(CORPORA);
const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));
const PRECISION = 0.98;
const RECALL = 0.93;
/** Of those whose name or description decides. */
const DECIDED = 0.93;
const WRITES_DECIDED = 0.96;

interface Case {
  readonly server: string;
  readonly tool: string;
  readonly annotated: Kind;
  /** By name, else by description; undefined where neither has a known verb. */
  readonly named: Kind | undefined;
  readonly because: string;
}

/** Every annotated tool of every server, the benchmark's collection split. */
function cases(): readonly Case[] {
  const files = [
    ...readdirSync(`${CORPORA}mcp`)
      .sort()
      .map((name) => `mcp/${name}`),
    "mcp-repo/github-mcp-server.json",
  ];
  const servers = [
    ...files.map((path) => [path.replace(/^.*\/|\.json$/g, ""), parsed(path)] as const),
    ...parsed("mcp-repo/livemcpbench.json").servers.map((one: Json) => [`live-${one.server}`, one] as const),
  ];
  return servers.flatMap(([server, { tools }]) => tools.flatMap((one: Json) => caseOf(server, one)));
}

const vocabulary = verbs();

function caseOf(server: string, { name, description, annotations, inputSchema }: Json): readonly Case[] {
  if (typeof annotations?.readOnlyHint !== "boolean") return [];
  const annotated = annotations.readOnlyHint ? "read" : "write";
  const found = withArguments(verbIn(name, vocabulary, server), Object.keys(inputSchema?.properties ?? {}));
  if (found) return [{ server, tool: name, annotated, named: found.verb.kind, because: found.because }];
  const said = readVerbOf(description ?? "", vocabulary);
  const named = said === undefined ? undefined : "read";
  return [{ server, tool: name, annotated, named, because: said === undefined ? "no verb" : `description: ${said}` }];
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
  const isHeldOut = (server: string): boolean => ((createHash("sha256").update(server).digest()[0] ?? 0) & 1) === 0;
  const tuned = all.filter((one) => !isHeldOut(one.server));
  const heldOut = all.filter((one) => isHeldOut(one.server));

  test("reads are found, and nearly nothing else is taken for one", () => {
    const lines = [line("all", all), line("tuned", tuned), line("held out", heldOut)];
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

  test.each([
    ["tuned", tuned],
    ["held out", heldOut],
  ])("in the half %s too", (_name, half) => {
    const [read, write] = [figures(half, "read"), figures(half, "write")];
    expect(read.precision).toBeGreaterThanOrEqual(PRECISION);
    expect(read.recall).toBeGreaterThanOrEqual(RECALL);
    expect(read.decided).toBeGreaterThanOrEqual(DECIDED);
    expect(write.decided).toBeGreaterThanOrEqual(WRITES_DECIDED);
  });
});
