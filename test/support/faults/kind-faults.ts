/** One fault per diagnostic code about kinds and levels. Part of the table in `generator-faults.ts`. */

import { jsonProject, type Project, tool } from "../generator-host.js";

/** A project of one tool whose source states no kind. */
const kindless = (one: object): Project => ({
  ...jsonProject([one]),
  "toolwright.yaml": "sources: [{ chat-tools: tools.json, pack: p }]\n",
});

/** A project for each code, and the whole printed line. */
export const KIND_FAULTS = {
  "level-unmatched": {
    project: jsonProject([tool("list_things")], "diagnostics: { p/list_thing: { description-missing: off } }\n"),
    says: "definitions/toolwright.yaml:4:16 error level-unmatched  no tool matches p/list_thing of `diagnostics`; did you mean p/list_things? correct or remove the entry: it is <pack>/<tool> or <pack>/<op>, with asterisks",
  },
  "kind-unknown": {
    project: kindless(tool("frobnicate")),
    says: "definitions/tools.json:2:2 warning kind-unknown  frobnicate holds no known verb, so p.frobnicate is a write; set `kind` under `ops`, or add the verb to `vocabulary`",
  },
  "kind-described": {
    project: kindless(tool("zone_overlay", {}, {}, "Get the zone.")),
    says: "definitions/tools.json:2:2 info kind-described  zone_overlay holds no known verb; p.zone_overlay is a read, since its description begins with get; set `kind` under `ops` if that is wrong",
  },
  "kind-differs": {
    project: jsonProject([tool("delete_thing")], "ops: { delete_thing: { kind: read } }\n"),
    says: "definitions/tools.json:2:2 info kind-differs  p.delete_thing is read by configuration, although its name says write (verb delete); nothing to do if that is meant",
  },
  "typed-tool-moved": {
    project: {
      "toolwright.yaml": "use: []\nsources: [{ mcp: servers/*.json }]\nexpose: { hot: [a.*] }\n",
      "servers/a.json": JSON.stringify({ tools: [{ name: "get_a", description: "Do it." }] }),
      "servers/b.json": JSON.stringify({ tools: [{ name: "get_a", description: "Do it." }] }),
      "../generated/registry.json": '{"tools":[{"op":"a.get_a","tool_name":"get_a","group":"a"}]}',
    },
    says: 'definitions/servers/a.json:1:11 warning typed-tool-moved  clients called a.get_a as the tool get_a, which is called a_get_a now, since b.get_a has that name too; to keep it, leave b.get_a out of the lists under `ops` in toolwright.yaml:  "b/get_a": { hidden: true }  otherwise clients have to call a_get_a',
  },
  "op-numbered": {
    project: {
      "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\n",
      "servers/s.json": JSON.stringify({ tools: ["get_a", "get-a"].map((name) => ({ name, description: "Do it." })) }),
    },
    says: 'definitions/servers/s.json:1:51 warning op-numbered  s.get_a is the op of get_a, so s/get-a is s.get_a_2; to choose its op, add under `ops` in toolwright.yaml:  "s/get-a": { op: … }',
  },
};
