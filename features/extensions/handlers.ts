/** The handlers of extension tools in one gateway. Each language is imported at the first call of a tool in it. */

import type { Project } from "../../runtime/catalog/project.js";
import type { AddedOps, OpCalls } from "../../runtime/gateway/added-ops.js";
import type { ExtensionTool } from "./extensions.js";
import type { PythonHandlers } from "./python-call.js";

/** What makes the handlers of tools, as {@link AddedOps.handlers}. */
export const handlersOfTools =
  ({ root, settings }: Project, tools: ReadonlyMap<string, ExtensionTool>): AddedOps["handlers"] =>
  (calls: () => OpCalls) => {
    let python: Promise<PythonHandlers> | undefined;
    const newPython = async (): Promise<PythonHandlers> =>
      (await import("./python-call.js")).pythonHandlers(settings, calls);
    return async (op) => {
      const found = tools.get(op);
      if (!found) return undefined;
      const { code, tool } = found;
      if (code.kind === "python") {
        python ??= newPython();
        return (await python)(tool, code);
      }
      if (!tool.source.call) return undefined;
      const { typescriptHandler } = await import("./typescript-call.js");
      const { resultBytes } = settings.run.limits;
      return typescriptHandler({ root, url: code.url, call: tool.source.call, resultBytes });
    };
  };
