/** Wrong entries of `expose.resources` and `expose.prompts`: every code has a project that causes it. */

import { expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import type { Fault } from "../../../test/support/generator-faults.js";
import { buildProject, jsonProject, tool } from "../../../test/support/generator-host.js";
import type { EXPOSED_RULES } from "../rules.js";

const one = tool("list_things");

const FAULTS: Readonly<Record<keyof typeof EXPOSED_RULES, Fault>> = {
  "offer-unmatched": {
    project: jsonProject([one], "expose:\n  resources:\n    p://all: { op: p.list_thing }\n"),
    says: "definitions/toolwright.yaml:6:16 error offer-unmatched  the resource p://all names p.list_thing, which is no op; did you mean p.list_things? correct or remove the entry",
  },
  "offer-writes": {
    project: jsonProject(
      [tool("create_thing")],
      "ops: { create_thing: { kind: write } }\nexpose: { prompts: { new: { op: p.create_thing } } }\n",
    ),
    says: "definitions/toolwright.yaml:5:29 error offer-writes  the prompt new names p.create_thing, which writes; clients read resources and prompts unasked; name an op of kind read",
  },
  "offer-incomplete": {
    project: jsonProject(
      [tool("get_thing", { id: { type: "string" } }, { required: ["id"] })],
      "expose: { resources: { p://it: { op: p.get_thing } } }\n",
    ),
    says: "definitions/toolwright.yaml:4:24 error offer-incomplete  the resource p://it gives p.get_thing no id, which it requires; write {id} into the address, or name another op",
  },
  "offer-ambiguous": {
    project: jsonProject(
      [tool("get_thing", { id: { type: "string" } })],
      'expose:\n  resources:\n    "p://{id}/x": { op: p.get_thing }\n    "p://a/{id}": { op: p.get_thing }\n',
    ),
    says: "definitions/toolwright.yaml:7:5 error offer-ambiguous  an address can be both p://{id}/x and p://a/{id}; tell the two templates apart by their text",
  },
};

test.each(Object.entries(FAULTS))(
  "%s is said as it is written down, and no files are given",
  async (_, { project, says }) => {
    const { diagnostics, files } = await buildProject(project);
    expect(diagnostics.map(formatDiagnostic)).toEqual([says]);
    expect(files).toEqual([]);
  },
);
