/** Settings of sign-in without effect: said with their place, before and behind those of the core. */

import { expect, test } from "vitest";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { settingWarnings } from "../../../runtime/gateway/setting-warnings.js";
import { temporaryFolder } from "../../../test/support/project.js";
import { SIGN_IN } from "../feature.js";
import { SIGN_IN_PART } from "../sign-in-part.js";

const registry = {
  packs: [{ name: "onto" }],
  tools: [{ op: "onto.task.list", kind: "read" }],
} as unknown as Registry;

function warned(text: string): readonly string[] {
  const config = loadConfig(() => text, new Report(), { features: [SIGN_IN] });
  if (!config) throw new Error("no configuration");
  return settingWarnings({ root: temporaryFolder(), config }, registry, SIGN_IN_PART);
}

const ACCESS = `access:
  oauth:
    resource: https://tools.example.com/mcp
    issuers:
      - issuer: https://id.example.com
        grants:
          - { when: { groups: eng }, level: read, packs: [onto, onot], ops: ["onto.*", "onto.taks.list"] }
`;

test("patterns of grants stand before those of approvals", () => {
  expect(warned(`sources: []\n${ACCESS}approve: [{ ops: [onot.*] }]\n`)).toEqual([
    'definitions/toolwright.yaml:8:65 access.oauth.issuers[0].grants[0].packs[1] is "onot", which matches no pack; did you mean "onto"?',
    'definitions/toolwright.yaml:8:88 access.oauth.issuers[0].grants[0].ops[1] is "onto.taks.list", which matches no op; did you mean "onto.task.list"?',
    'definitions/toolwright.yaml:9:19 approve[0].ops[0] is "onot.*", which matches no op; did you mean "onto.*"?',
  ]);
});

test.each([
  ["issuers: []", "access.oauth.issuers is empty: no access token is accepted"],
  [
    "issuers: [{ issuer: https://id.example.com, grants: [] }]",
    "access.oauth.issuers[0].grants is empty: every token of this issuer is refused",
  ],
])("lists with which no caller gets anything: %s", (issuers, said) => {
  const found = warned(
    `sources: []\naccess: { oauth: { resource: https://tools.example.com/mcp, ${issuers} } }\nsecrets: { from: ["dir: gone"] }\n`,
  );
  expect(found).toEqual([
    expect.stringContaining("secrets.from[0] names the folder gone"),
    expect.stringMatching(/^definitions\/toolwright.yaml:2:\d+ /),
  ]);
  expect(found[1]).toContain(said);
});
