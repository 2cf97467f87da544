/** The flags of Node.js's permission model, for child processes that run code of others. */

/**
 * Flags that let a process read some paths, and neither write, start processes or threads, nor load native code. From Node.js 25 on
 * it has no network either.
 *
 * @param readable absolute paths; one that ends with a slash is a folder with all that is in it
 */
export function permissionFlags(readable: readonly string[]): readonly string[] {
  const modern = process.allowedNodeEnvironmentFlags.has("--permission");
  const form = (path: string) => (path.endsWith("/") && !modern ? `${path}*` : path);
  return [
    modern ? "--permission" : "--experimental-permission",
    ...readable.map((path) => `--allow-fs-read=${form(path)}`),
  ];
}
