/** Says what the first program of a project waits for. */

import type { Start } from "../gateway/open-project.js";
import type { Live } from "../gateway/reloadable-gateway.js";

/** Time of a program after which it is said. */
const SAID_AFTER_MS = 1000;

/** Where the program runs, and who reads what the command prints. */
interface Saying {
  readonly json?: boolean;
  readonly live: Pick<Live, "within">;
}

/**
 * Runs a program. While an interpreter is prepared for it, which takes some seconds once, a line on standard error says so,
 * unless only programs read what the command prints.
 */
export async function sayingPreparation<T>(
  { err, overrides }: Pick<Start, "err" | "overrides">,
  { json, live }: Saying,
  program: () => Promise<T>,
): Promise<T> {
  if (json || overrides.logLevel === "silent") return program();
  let isOver = false;
  const say = async (): Promise<void> => {
    const labels = await live.within(({ preparing }) => preparing());
    if (labels.length === 0 || isOver) return;
    err(`preparing the ${labels.join(" and ")} interpreter for its first run here, which takes some seconds …\n`);
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
