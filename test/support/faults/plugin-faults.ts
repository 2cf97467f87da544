/** One fault per diagnostic code about plugins. Part of the table in `generator-faults.ts`. */

import { type Project, pluginProject } from "../generator-host.js";

/** A project of a source of a plugin that reports this diagnostic. */
const reporting = (severity: string): Project =>
  pluginProject(
    `export default { name: "a", sources: [{ kind: "ini", read: ({ files: [{ file }] }) => ({
      definitions: [{ name: "get_a", description: "Get it.", parameters: { type: "object" }, file, line: 1 }],
      diagnostics: [{ severity: "${severity}", message: "get_a has no body", fix: "write one", file, line: 1 }],
    }) }] };`,
    "sources: [{ ini: a.ini, kind: read }]\n",
  );

/** A project for each code, and the whole printed line. */
export const PLUGIN_FAULTS = {
  "plugin-missing": {
    project: { "toolwright.yaml": "plugins: [./gone.js]\nsources: []\n" },
    says: "definitions/toolwright.yaml:1:11 error plugin-missing  the plugin ./gone.js cannot be found; correct `plugins`: a file is relative to definitions/ and begins with ./ or ../, a package is installed in the project",
  },
  "plugin-failed": {
    project: pluginProject("export default null.x;"),
    says: "definitions/toolwright.yaml:2:11 error plugin-failed  the plugin ./plugin.js failed in being loaded: Cannot read properties of null (reading 'x'); correct the plugin, or take it out of `plugins`",
  },
  "plugin-invalid": {
    project: pluginProject('export default { name: "a", emitter: [] };'),
    says: "definitions/toolwright.yaml:2:11 error plugin-invalid  the default export of the plugin ./plugin.js is wrong: unknown key 'emitter' (did you mean 'emitters'?); correct the plugin: docs/extending.md has the forms",
  },
  "plugin-collision": {
    project: pluginProject('export default { name: "a", sources: [{ kind: "mcp", read() {} }] };'),
    says: "definitions/toolwright.yaml:2:11 error plugin-collision  the plugin ./plugin.js adds the kind of source mcp, which toolwright has; rename it in the plugin, or take one of the two out of `plugins`",
  },
  "plugin-output": {
    project: pluginProject(
      'export default { name: "a", emitters: [{ name: "b", emit: () => [{ path: "../b.md", text: "" }] }] };',
    ),
    says: 'definitions/toolwright.yaml:2:11 error plugin-output  the emitter b of the plugin ./plugin.js cannot write "../b.md": it leads out of its folder; give the file another path, relative to generated/ and with forward slashes',
  },
  "plugin-error": {
    project: reporting("error"),
    says: "definitions/a.ini:1:1 error plugin-error  get_a has no body; write one",
  },
  "plugin-warning": {
    project: reporting("warning"),
    says: "definitions/a.ini:1:1 warning plugin-warning  get_a has no body; write one",
  },
  "plugin-info": {
    project: reporting("info"),
    says: "definitions/a.ini:1:1 info plugin-info  get_a has no body; write one",
  },
} as const;
