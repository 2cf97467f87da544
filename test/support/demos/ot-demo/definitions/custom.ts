export const pack = { summary: "For those who administer." };

/**
 * Reads what only an administrator reads.
 *
 * @kind read
 * @access admin
 */
export async function secret(): Promise<string> {
  return "hidden";
}
