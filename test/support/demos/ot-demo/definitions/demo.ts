export const pack = { summary: "A pack to try out." };

interface Asked {
  query: string;
  /** @integer */
  count?: number;
}

/**
 * Search things. Results come as they were asked for.
 *
 * @param args.query - What to look for
 * @kind read
 * @example {"query": "a"}
 */
export async function search({ query, count = 5 }: Asked): Promise<Record<string, unknown>> {
  return { query, count };
}

/**
 * Many lines.
 *
 * @param args.lines - the lines themselves, between bars
 * @kind read
 */
export async function big({ n = 9000, lines }: { n?: number; lines?: string }): Promise<string> {
  return lines?.replaceAll("|", "\n") ?? Array.from({ length: n }, (_, i) => `line${i}`).join("\n");
}

/**
 * Fails.
 *
 * @kind read
 */
export async function boom(): Promise<string> {
  throw Object.assign(new Error("kaput"), {
    name: "ToolFailure",
    code: "NOT_FOUND",
    details: { exception: "KeyError" },
  });
}

/**
 * Waits for a moment and says when it began and ended.
 *
 * @kind read
 */
export async function wait({ ms = 0 }: { ms?: number }): Promise<number[]> {
  const began = Date.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return [began, Date.now()];
}

/**
 * Stores a text.
 *
 * @kind write
 */
export async function store({ text }: { text: string }): Promise<string> {
  return text;
}

/**
 * A value of many levels.
 *
 * @kind read
 */
export async function deep({ levels = 5 }: { levels?: number }): Promise<unknown> {
  let value: unknown = 1;
  for (let level = levels; level > 0; level--) value = { [`level${level}`]: value };
  return value;
}
