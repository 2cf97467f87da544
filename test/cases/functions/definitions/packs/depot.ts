import type { Priority } from "../shared/types.js";

const TOPICS = ["stock"] as const;
export const pack = { summary: "Configuration wins over this.", topics: [...TOPICS] };

/** Says how many are on the shelf. */
export async function stockCheck(args: { part: string; priority?: Priority }): Promise<number> {
  return args.part.length;
}
