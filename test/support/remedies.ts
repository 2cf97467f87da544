/** Edits that remedies of diagnostics ask for. */

import { buildProject, type Project } from "./generator-host.js";

/** A change of `toolwright.yaml`: lines at its end, or a text in place of another one. */
export type RemedyEdit = string | readonly [before: string, after: string];

/** The codes of the diagnostics of a project after an edit. @throws Error if the text to replace is not there */
export async function diagnosticsAfter(project: Project, edit: RemedyEdit): Promise<readonly string[]> {
  const text = project["toolwright.yaml"] ?? "";
  const changed = { ...project, "toolwright.yaml": edited(text, edit) };
  return (await buildProject(changed)).diagnostics.map((one) => one.code);
}

function edited(text: string, edit: RemedyEdit): string {
  if (typeof edit === "string") return `${text.replace(/\n*$/, "\n")}${edit}\n`;
  if (!text.includes(edit[0])) throw new Error(`toolwright.yaml has no ${edit[0]}`);
  return text.replace(edit[0], edit[1]);
}
