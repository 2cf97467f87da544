/** Says what the first program of a project waits for. */

import type { Start } from "../gateway/open-project.js";
import type { LanguageRow } from "../run/languages/table.js";

/** Time of a program after which it is said. */
const SAID_AFTER_MS = 1000;

/** What the program is, and who reads what the command prints. */
interface Saying {
  readonly json?: boolean;
  /** Absent: a run goes on. */
  readonly command?: string;
  /** That of a file. */
  readonly language?: string | undefined;
}

/** The language of a program, before any of its code is started. */
async function rowOf(root: string, languages: readonly string[], { command, language }: Saying): Promise<LanguageRow> {
  const { languageRows, openLanguages } = await import("../run/languages/table.js");
  const rows = languageRows(languages);
  const opened = command === undefined ? undefined : await openLanguages(root, {}, rows).forCommand(command, language);
  const named = opened && "language" in opened ? opened.language.name : undefined;
  return rows.find(({ name }) => name === named) ?? rows[0];
}

/**
 * Runs a program. While its interpreter is prepared, which takes some seconds once, a line on standard error says so, unless
 * only programs read what the command prints.
 */
export async function sayingPreparation<T>(
  { root, err, overrides, config }: Pick<Start, "root" | "err" | "overrides" | "config">,
  { json, ...code }: Saying,
  program: () => Promise<T>,
): Promise<T> {
  if (json || overrides.logLevel === "silent") return program();
  let isOver = false;
  const say = async (): Promise<void> => {
    const { label, isPrepared } = await rowOf(root, config.run?.languages ?? [], code);
    if (!isPrepared || (await isPrepared(root)) || isOver) return;
    err(`preparing the ${label} interpreter for its first run here, which takes some seconds …\n`);
  };
  // Where that cannot be found out, the program fails and says why.
  const timer = setTimeout(() => void say().catch(() => undefined), SAID_AFTER_MS);
  try {
    return await program();
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
