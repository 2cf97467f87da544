/** A remedy that a diagnostic prints as configuration makes it vanish. */

import { describe, expect, test } from "vitest";
import type { DiagnosticCode } from "../../../generator/core/rules.js";
import { FAULTS } from "../../support/generator-faults.js";
import { diagnosticsAfter, type RemedyEdit } from "../../support/remedies.js";

/** The words of a diagnostic that name the remedy, and the edit that does what they say. */
const REMEDIES: readonly (readonly [code: DiagnosticCode, words: string, edit: RemedyEdit])[] = [
  ["pack-not-shipped", "take it out of `use`", ["[oubliette]", "[]"]],
  [
    "tools-unread",
    "name the lists to read under `exports`",
    ["kind: read", "kind: read, exports: [OTHERS], allow_empty: true"],
  ],
  ["export-foreign", "name the arrays to read under `exports`", ["kind: read", "kind: read, exports: [TOOLS]"]],
  ["export-computed", "name the arrays to read under `exports`", ["kind: read", "kind: read, exports: [TOOLS]"]],
  ["no-tools", "`allow_empty: true` of the source allows it", ["kind: read", "kind: read, allow_empty: true"]],
  ["no-functions", "`allow_empty: true` of the source allows it", ["kind: read", "kind: read, allow_empty: true"]],
  ["kind-unknown", "set `kind` under `ops`", "ops: { frobnicate: { kind: write } }"],
  ["kind-unknown", "add the verb to `vocabulary`", "vocabulary: { verbs: { frobnicate: read } }"],
  ["kind-described", "set `kind` under `ops`", "ops: { zone_overlay: { kind: read } }"],
  ["annotations-contradict", "set `kind` under `ops`", "ops: { delete_things: { kind: write } }"],
  ["typed-tool-moved", '"b/get_a": { hidden: true }', 'ops: { "b/get_a": { hidden: true } }'],
  ["op-numbered", '"s/get-a": { op: … }', 'ops: { "s/get-a": { op: s.get_other } }'],
  ["op-collision", "list-things: { op: … }", "ops: { list-things: { op: p.list_others } }"],
  ["op-moved", '"p/find_things": { op: p.list_things }', 'ops: { "p/find_things": { op: p.list_things } }'],
  ["op-moved", '"p/list_things": { op: p.list_things }', 'ops: { "p/list_things": { op: p.list_things } }'],
  ["op-unmatched", "list_taks: { op: p.<entity>.<action> }", "ops: { list_taks: { op: p.task.list } }"],
  ["enum-unused", "remove state from `enums`", ["enums: { state: [a] }", ""]],
  ["target-without-project", "`target: global`", "ops: { list_things: { target: global } }"],
  ["example-invalid", "under `ops` in toolwright.yaml", ["{ n: many }", "{ n: 1 }"]],
  ["example-impossible", "under `ops` in toolwright.yaml", "ops: { list_things: { examples: [{ n: 1 }] } }"],
  ["enum-in-prose", "enums --write", "ops: { list_things: { enums: { state: [open, waiting, closed] } } }"],
  [
    "description-too-long",
    '"p/list_things": { description-too-long: off }',
    'diagnostics: { "p/list_things": { description-too-long: off } }',
  ],
  ["hot-over-budget", "raise budget.exposed", ["exposed: 600", "exposed: 6000"]],
  ["hot-over-budget", "take the op out of expose.hot", ['hot: ["p.*"]', "hot: []"]],
  [
    "tombstone-stale",
    "remove it",
    ["reserved:\n  - { tool: old_list, op: p.old_list, since: 2026-08-01, use: p.list }\n", ""],
  ],
  [
    "policy-extraction-changed",
    "set its source_hash to 52e5f70dcdb9",
    ["source_hash: old", "source_hash: 52e5f70dcdb9"],
  ],
];

describe("a remedy that is printed works", () => {
  test.each(REMEDIES)("%s is gone after the edit that it asks for: %s", async (code, words, edit) => {
    const { project, says } = FAULTS[code as keyof typeof FAULTS];
    expect(says).toContain(words);
    const codes = await diagnosticsAfter(project, edit);
    expect(codes).not.toContain(code);
    expect(codes).not.toContain("config-invalid");
    expect(codes).not.toContain("config-unknown-key");
  });
});
