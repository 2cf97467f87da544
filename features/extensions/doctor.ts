/** Checks the files in `.onetool/tools/`. */

import { counted, onLine } from "../../runtime/contract/message-text.js";
import type { DoctorPart } from "../../runtime/gateway/doctor-part.js";
import { extensionsIn } from "./extensions.js";

/** What is found of the tools of a project; nothing without such files. */
export const checkExtensionTools: DoctorPart = async (project) => {
  const extensions = extensionsIn(project);
  if (!extensions) return [];
  const { tools, files, notes } = extensions;
  const { importFaults } = await import("./python-check.js");
  const faults = [...extensions.faults, ...(await importFaults(project, extensions))];
  const found = [`${counted(tools.size, "op")} of ${counted(files.length, "file")}`, ...notes].join("; ");
  return [
    { what: "tools", ok: true, found: onLine(found) },
    ...faults.map(({ file, line, message, remedy }) => ({
      what: "tools",
      ok: false,
      found: onLine(`${file}${line === undefined ? "" : `:${line}`} ${message}`),
      remedy: onLine(remedy),
    })),
  ];
};
