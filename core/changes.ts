/** Compares builds with the feature that can. */

import type { Changes } from "../generator/cli/changes.js";
import { canonicalJson, digestText } from "../runtime/contract/canonical.js";
import type { CompareTools, Finding } from "../runtime/contract/finding.js";
import type { Tool } from "../runtime/contract/registry.js";
import type { Feature } from "./feature.js";

/** Loads how the first feature that can compares builds; undefined if none can. */
export const loadChanges = async (features: readonly Feature[]): Promise<Changes | undefined> =>
  features.find(({ changes }) => changes)?.changes?.(features);

/** Compares lists of tools by meaning. Without a feature that can, each tool that is not as it was is an error. */
export const toolComparison =
  (features: readonly Feature[]): CompareTools =>
  async (before, after) =>
    (await loadChanges(features))?.compareTools(before, after) ?? unlikeTools(before, after);

/** What a source says of a tool. */
const saidOf = ({ tool_name, description, parameters_schema, result_schema, annotations }: Tool): string =>
  canonicalJson({ tool_name, description, parameters_schema, result_schema: result_schema ?? null, annotations });

function unlikeTools(before: readonly Tool[], after: readonly Tool[]): readonly Finding[] {
  const now = new Set(after.map(saidOf));
  return before.filter((one) => !now.has(saidOf(one))).map(unlikeTool);
}

const unlikeTool = ({ op, tool_name: tool, source: { file } }: Tool): Finding => ({
  ...{ rule: "tool-changed", level: "error", surface: ["wire"], op, tool, pointer: "", before: tool, after: "" },
  message: `tool ${tool} is not what it was`,
  ...{ file, line: 0, column: 0, fingerprint: digestText(`tool-changed\0${op}`).slice(0, 12) },
});
