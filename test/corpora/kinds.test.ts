/**
 * Kinds derived from names and descriptions against `readOnlyHint`: tools of real servers are classified with hidden
 * annotations and compared with them.
 *
 * The precision of reads matters for safety, since a read runs without consent. Every annotated tool counts, also if
 * nothing about it is known. The servers are split in two by a digest of their names, so that a rule is tuned on one half
 * and measured on the other. The rule for descriptions was written with those of the half `tuned` in view only.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Kind } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import type { Config } from "../../generator/config/config.js";
import type { Report } from "../../generator/core/diagnostic.js";
import type { NormalizedDefinition } from "../../generator/core/ir.js";
import { classifyDefinitions } from "../../generator/pass/classify.js";
import { normalizeSchema } from "../../runtime/contract/normal-schema.js";
import { CORPORA, hasCorpora } from "../support/corpora.js";
import type { Json } from "../support/project.js";
import { SCALE } from "../support/random.js";

const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));
const PRECISION = 0.98;
const RECALL = 0.93;
/** Of those whose name or description decides. */
const DECIDED = 0.93;
const WRITES_DECIDED = 0.96;
/** Share of the writes that servers call additive and that count as destructive, because nothing shows that they add. */
const MOST_CAREFUL = 0.25;

interface Case {
  readonly server: string;
  readonly tool: string;
  readonly annotated: Kind;
  /** By name, else by description; undefined where neither has a known verb. */
  readonly named: Kind | undefined;
  readonly because: string;
  readonly hinted: boolean | undefined;
  readonly isDestructive: boolean;
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
  return servers.flatMap(([server, { tools }]) => casesOf(server, tools));
}

const quiet = { add: () => {}, addAbout: () => {} } as unknown as Report;

function casesOf(server: string, tools: readonly Json[]): readonly Case[] {
  const byName = new Map(tools.map((one) => [one.name, one] as const));
  const definitions = [...byName.values()].map(
    ({ name, description, inputSchema = {} }): Partial<NormalizedDefinition> => ({
      ...{
        name,
        description: description ?? "",
        parameters: inputSchema,
        input: normalizeSchema(inputSchema, inputSchema),
      },
      ...{
        annotations: {},
        pack: server.replace(/\W/g, "_"),
        origin: "proxy",
        place: { file: "s.json", line: 1, column: 1 },
      },
    }),
  );
  return classifyDefinitions(definitions as readonly NormalizedDefinition[], {} as Config, quiet).flatMap((one) => {
    const { readOnlyHint, destructiveHint: hinted } = byName.get(one.name)?.annotations ?? {};
    if (typeof readOnlyHint !== "boolean") return [];
    const because = one.because[1] ?? "";
    const named = because.includes("no word of its name") ? undefined : one.op_kind;
    const annotated = readOnlyHint ? "read" : "write";
    return [{ server, tool: one.name, annotated, named, because, hinted, isDestructive: one.hints.destructiveHint }];
  });
}

/** Tools that their server calls a write although they only return something, read one by one. */
const ONLY_RETURN = new Set([
  "azuremigrate_platformlandingzone_getguidance",
  "monitor_instrumentation_orchestrator-next",
  "takeAppScreenshot",
  "askBrowserStackAI",
  "get_network_request",
  "lighthouse_audit",
  "take_screenshot",
  "firecrawl_scrape",
  "hosting_verifyDomainOwnershipV1",
  "simulate-research-query",
  "detectedSecretsQueries",
]);

/** Verbs that edit what they name: some servers call these destructive, others do not. */
const EDITS = /\bverb (?:append|create|edit|enable|move|patch|post|rename|request|set|start|update)\b/;

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

describe.skipIf(!hasCorpora)(hasCorpora ? "names of every annotated tool" : "../shared/corpora is not there", () => {
  const all = hasCorpora ? cases() : [];
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

  test("what a server calls a write is called a read only where it does nothing but return something", () => {
    const wrong = all.filter((one) => one.annotated === "write" && one.named === "read" && !ONLY_RETURN.has(one.tool));
    expect(wrong).toEqual([]);
  });

  test("what a server calls destructive is called safe only where it adds or edits", () => {
    const writes = all.filter((one) => one.annotated === "write" && one.hinted !== undefined);
    const [destructive, additive] = [writes.filter((one) => one.hinted), writes.filter((one) => !one.hinted)];
    const safe = destructive.filter((one) => one.named !== "read" && !one.isDestructive);
    const careful = additive.filter((one) => one.isDestructive);
    console.log(
      `destructive: ${safe.length} edits of ${destructive.length} called safe; others: ${careful.length} of ${additive.length} called destructive`,
    );
    expect(safe.filter((one) => !EDITS.test(one.because))).toEqual([]);
    expect(careful.length / additive.length).toBeLessThan(MOST_CAREFUL);
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
