/** Runs the top level of Python extension files in the sandbox, to find imports and other code that fail. */

import type { Project } from "../../runtime/catalog/project.js";
import { indexRegistry } from "../../runtime/catalog/registry.js";
import { HostError } from "../../runtime/run/engine/engine.js";
import type { Namespace } from "../../runtime/run/languages/language.js";
import { rewrite } from "../../runtime/run/languages/python/rewrite.js";
import { openLanguages } from "../../runtime/run/languages/table.js";
import { extensionOwnerOf } from "../../runtime/run/owner.js";
import { createToolLoader } from "../../runtime/run/tool-loader.js";
import type { ExtensionFault } from "./extension-file.js";
import type { Extensions } from "./extensions.js";
import { moduleOf, PRELUDE_LINES } from "./python-call.js";

/** A fault for each file that fails; ops exist, but calling one fails. */
export async function importFaults(project: Project, extensions: Extensions): Promise<readonly ExtensionFault[]> {
  const files = new Map(
    [...extensions.tools.values()].flatMap(({ tool, code }) =>
      code.kind === "python" ? [[tool.source.file, moduleOf(tool.group, code.source)] as const] : [],
    ),
  );
  if (files.size === 0) return [];
  const { root, registry, settings } = project;
  const loader = createToolLoader(root, indexRegistry(registry, settings), settings);
  const { packs, projects } = loader.toolsFor(EVERYBODY);
  const namespace: Namespace = { packs, projects, call: refused };
  const names = { aliases: new Map(), packs: new Set(packs.keys()), bare: new Map() };
  const languages = openLanguages(root);
  const faults: ExtensionFault[] = [];
  try {
    const { interpreter } = await languages.named("python");
    for (const [file, module] of files) {
      const { code } = rewrite(module, names);
      const { limits } = settings.run;
      const owner = extensionOwnerOf(EVERYBODY);
      const outcome = await interpreter.run({ owner, code, namespace, limits, onPrint: () => undefined });
      if (outcome.ok) continue;
      const line = outcome.line === undefined ? {} : { line: outcome.line - PRELUDE_LINES };
      const message = `fails when it is loaded: ${outcome.name}: ${outcome.message}`;
      faults.push({ file, ...line, message, remedy: "correct the file: only Python's standard library is available" });
    }
  } finally {
    await languages.close();
  }
  return faults;
}

const EVERYBODY = {
  kind: "local",
  id: "doctor",
  grant: { level: "admin", projects: "*" },
  allowWrite: false,
} as const;

async function refused(): Promise<never> {
  throw new HostError("RuntimeError", "no op is called while the file is only looked at");
}
