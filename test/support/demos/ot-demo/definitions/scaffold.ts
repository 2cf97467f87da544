export const pack = { summary: "Starts projects." };

/**
 * Makes the files of a new project.
 *
 * @kind read
 */
export async function create({ template }: { template: "basic" | "library" }): Promise<string> {
  return template;
}
