/** Makes the change log page: the differences between the registry of the site and an earlier one, by op. */

import { inMarkdown } from "../../generator/core/printer.js";
import { adviceOf, countLevels, type FindingLevel } from "../../runtime/contract/finding.js";
import { shortVersion } from "../../runtime/contract/help.js";
import { linkedOp } from "./op-pages.js";
import { groupedBy } from "./pack-groups.js";
import type { Site, SitePage } from "./site-model.js";

const LEVELS: Readonly<Record<FindingLevel, string>> = {
  error: "breaks callers",
  warning: "may change behaviour",
  info: "compatible",
};

const ADVICE = { major: "a new major version", minor: "a new minor version", patch: "a patch" } as const;

/** The page of the change log, if there is one. */
export function changePages(site: Site): readonly SitePage[] {
  const { changes, registry } = site;
  if (!changes) return [];
  const { since, findings } = changes;
  const versions = { before: shortVersion(changes.version), after: shortVersion(registry.registry_version) };
  const groups = groupedBy(findings, (one) => one.op);
  return [
    {
      folder: "changes",
      title: "Changes",
      about: `What is different since ${since}.`,
      template: "changes",
      data: () => ({
        since,
        ...versions,
        counts: countLevels(findings),
        advice: ADVICE[adviceOf(findings)],
        groups: [...groups].map(([op, found]) => ({
          op: op === "" ? { name: "The registry", file: "" } : linkedOp(site, op),
          findings: found.map(({ level, message, rule }) => ({ level, means: LEVELS[level], message, rule })),
        })),
      }),
      markdown: () => {
        const sections = [...groups].map(([op, found]) => {
          const lines = found.map((one) => `- ${LEVELS[one.level]}: ${inMarkdown(one.message).replaceAll("\n", " ")}`);
          return `## ${inMarkdown(op || "The registry")}\n\n${lines.join("\n")}`;
        });
        return `${["# Changes", `Since ${inMarkdown(since)}.`, ...sections].join("\n\n")}\n`;
      },
    },
  ];
}
