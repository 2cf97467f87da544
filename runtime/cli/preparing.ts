/** Says what the first program of a project waits for. */

import type { Start } from "../gateway/open-project.js";

/** Time of a program after which it is said. */
const SAID_AFTER_MS = 1000;

/**
 * Runs a program. While its interpreter is prepared, which takes some seconds once, a line on standard error says so, unless
 * only programs read what the command prints.
 *
 * @param options - `language`: that of a file; default: the first one of the project
 */
export async function sayingPreparation<T>(
  { root, err, overrides, config }: Pick<Start, "root" | "err" | "overrides" | "config">,
  { json, language = config.run?.languages?.[0] }: { readonly json?: boolean; readonly language?: string | undefined },
  program: () => Promise<T>,
): Promise<T> {
  if (json || overrides.logLevel === "silent") return program();
  let isOver = false;
  const say = async (): Promise<void> => {
    const { LANGUAGES } = await import("../run/languages/table.js");
    const { label, isPrepared } = LANGUAGES.find(({ name }) => name === language) ?? LANGUAGES[0];
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
