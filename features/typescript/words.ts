/** How TypeScript is named: apart, so that a start of a server reads no more of it. */

/** For people. */
export const TYPESCRIPT_LABEL = "TypeScript";

/** Words after the backticks of a code fence. */
export const TYPESCRIPT_FENCE_WORDS: readonly string[] = [
  ...["ts", "typescript", "js", "javascript", "tsx", "jsx", "mts", "mjs", "cts", "cjs", "node", "deno", "bun"],
];
