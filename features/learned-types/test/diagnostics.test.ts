/** Wrong files in `definitions/learned/`: every code has a project that causes it. */

import { expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import type { Fault } from "../../../test/support/generator-faults.js";
import { buildProject, jsonProject, tool } from "../../../test/support/generator-host.js";
import { LEARNED_RULES } from "../diagnostics.js";

const entry = {
  ...{ calls: "30+", digest: "old", level: "locked", news: "≤1%", rules: "R1" },
  schema: { type: "object", properties: { title: { type: "string" } } },
};
const file = (ops: object): string =>
  `{"version":1,"ops":{\n${Object.entries(ops)
    .map(([op, one]) => `  ${JSON.stringify(op)}: ${JSON.stringify(one)}`)
    .join(",\n")}\n}}\n`;
const project = (text: string, name = "p.json"): Fault["project"] => ({
  ...jsonProject([tool("list_things")]),
  [`learned/${name}`]: text,
});
const words = { digest: "old", words: { pr: "3+" } };

const FAULTS: Readonly<Record<keyof typeof LEARNED_RULES, Fault>> = {
  "learned-invalid": {
    project: project(file({ "p.list_things": { ...entry, level: "sure" } })),
    says: 'definitions/learned/p.json:2:1 error learned-invalid  this file of what was learned cannot be used: p.list_things: "level" must be "hint" or "locked"; restore it from version control, or delete it and run "toolwright learn"',
  },
  "learned-stale": {
    project: project(file({ "p.list_things": entry })),
    says: 'definitions/learned/p.json:2:1 warning learned-stale  the input of p.list_things has changed since the type of its results was learned: it is a hint only; run "toolwright learn" when the op has been called again',
  },
  "learned-unused": {
    project: project(file({ "p.list_thing": entry })),
    says: 'definitions/learned/p.json:2:1 info learned-unused  a type was learned for p.list_thing, which is no op; run "toolwright learn", which takes it out',
  },
  "words-stale": {
    project: project(file({ "p.list_things": words }), "p.words.json"),
    says: 'definitions/learned/p.words.json:2:1 info words-stale  the input of p.list_things has changed since words were learned for it: they count half; run "toolwright learn" when the op has been called again',
  },
  "words-unused": {
    project: project(file({ "p.list_thing": words }), "p.words.json"),
    says: 'definitions/learned/p.words.json:2:1 warning words-unused  words were learned for p.list_thing, which is no op: they are ignored; run "toolwright learn", which takes them out',
  },
};

test.each(Object.entries(FAULTS))(
  "%s is said as it is written down, and no files are given if it is an error",
  async (code, { project, says }) => {
    const { diagnostics, files } = await buildProject(project);
    expect(diagnostics.map(formatDiagnostic)).toEqual([says]);
    expect(files.length > 0).toBe(LEARNED_RULES[code as keyof typeof FAULTS].severity !== "error");
  },
);

test("a level of the configuration counts for them", async () => {
  const { project } = FAULTS["learned-stale"];
  const config = `${project["toolwright.yaml"]}diagnostics: { learned-stale: off }\n`;
  expect((await buildProject({ ...project, "toolwright.yaml": config })).diagnostics).toEqual([]);
});
