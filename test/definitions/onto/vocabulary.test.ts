/** The vocabulary of the worked example is consistent: kinds, states, relations, defaults, handlers. */

import { describe, expect, it } from "vitest";
import { fieldInfo } from "../../../definitions/onto/backend/field-info.js";
import { FIELDS } from "../../../definitions/onto/backend/fields.js";
import { SYSTEM } from "../../../definitions/onto/backend/id.js";
import {
  EDGE_KINDS,
  ID_PATTERNS,
  KINDS,
  LABELS,
  PAIR_DEFAULTS,
  RELATIONS,
} from "../../../definitions/onto/backend/model.js";
import { mayContain, parentsOf, resolvePair, resolveRel } from "../../../definitions/onto/backend/relations.js";
import { isoTime } from "../../../definitions/onto/backend/values.js";
import { handlers as onto } from "../../../definitions/onto/handlers.js";
import { handlers as util } from "../../../definitions/onto/util-handlers.js";
import { handlers as web } from "../../../definitions/packs/_web-handlers.js";

describe("vocabulary", () => {
  it("binds every op, transactionally, and one of them with a planner", () => {
    expect(Object.keys(onto).length).toBe(48);
    for (const handler of Object.values(onto)) expect(handler.transactional).toBe(true);
    expect(
      Object.entries(onto)
        .filter(([, { plan }]) => plan)
        .map(([op]) => op),
    ).toEqual(["onto.project.graph.reorganize"]);
    expect(Object.keys({ ...util, ...web }).length).toBe(5);
  });

  it("makes ids of its own form, no two alike", () => {
    const ids = Array.from({ length: 1000 }, () => SYSTEM.newId("task"));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(new RegExp(ID_PATTERNS.task));
  });

  it("has containment without a way round, so that no cycle can be stored", () => {
    const above = (kind: (typeof EDGE_KINDS)[number], seen: readonly string[]): void => {
      for (const parent of parentsOf(kind)) {
        expect(seen).not.toContain(parent);
        above(parent, [...seen, parent]);
      }
    };
    for (const kind of EDGE_KINDS) above(kind, [kind]);
    expect(mayContain("plan", "task")).toBe(true);
  });

  const pairs = EDGE_KINDS.flatMap((src) => EDGE_KINDS.map((dst) => [src, dst] as const));

  it("resolves every word for every pair, and what it resolves to means itself", () => {
    const known = Object.entries(RELATIONS).flatMap(([rel, { aliases, flips }]) => [rel, ...aliases, ...flips]);
    const resolved = pairs.flatMap(([src, dst]) => {
      const of = [
        ...[...known, "has_task", "part_of", "odd"].map((word) => resolveRel(word, src, dst)),
        resolvePair(src, dst),
      ];
      return of.map(({ rel, flip }) => ({ rel, src: flip ? dst : src, dst: flip ? src : dst }));
    });
    for (const { rel, src, dst } of resolved)
      if (rel !== undefined)
        expect(resolveRel(rel, src, dst), `${src} ${rel} ${dst}`).toMatchObject({ rel, flip: false });
  });

  it("has legal defaults", () => {
    const defaults = PAIR_DEFAULTS.flatMap(({ from, to, rel }) =>
      from.flatMap((src) => to.map((dst) => ({ src, rel, dst }))),
    );
    for (const { src, rel, dst } of defaults)
      expect(resolveRel(rel, src, dst)).toMatchObject({ rel, flip: false, warnings: [] });
  });

  it("tells the fields of each entity type", () => {
    const state = fieldInfo({ entity_type: "ontology_task", field_name: "state_key" });
    expect(state.fields).toEqual([
      {
        name: "state_key",
        type: "string",
        enum: ["todo", "in_progress", "blocked", "done"],
        default: "todo",
        nullable: false,
        writable_by: ["onto.project.create", "onto.task.create", "onto.task.update"],
      },
    ]);
    const completed = fieldInfo({ entity_type: "ontology_task", field_name: "completed_at" });
    expect(completed.fields[0]?.writable_by).toEqual([]);
    expect(fieldInfo({ entity_type: "ontology_risk" }).fields.map(({ name }) => name)).toContain("mitigation_strategy");
    expect(() => fieldInfo({ entity_type: "ontology_task", field_name: "sate_key" })).toThrow(/no such field/);
    for (const kind of KINDS) expect(FIELDS[kind].map(({ name }) => name)).toContain(LABELS[kind]);
  });

  it.each([
    ["2026-05-01", "2026-05-01T00:00:00.000Z"],
    ["2026-05-01T10:00:00+02:00", "2026-05-01T08:00:00.000Z"],
    ["2026-05-01t10:00z", "2026-05-01T10:00:00.000Z"],
    ["2026-05-01T10:00:00.123456Z", "2026-05-01T10:00:00.123Z"],
    ["2026-02-30", undefined],
    ["2026-02-30T00:00:00Z", undefined],
    ["2026-05-01T10:00:00", undefined],
    ["2026-05-01T25:00:00Z", undefined],
    ["tomorrow", undefined],
  ])("reads the time %s as %s", (text, expected) => expect(isoTime(text)).toBe(expected));
});
