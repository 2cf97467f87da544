/**
 * Imports a module whose address is known only at run time. A file of its own: a script that is loaded with a code cache cannot
 * import modules, so that the bundle of the command line leaves this one outside.
 *
 * @param url of the module, such as `file:///…/handlers.mjs`
 * @returns what the module exports
 * @throws what the module throws, and an error if the module is not found
 */
export const importUrl = (url: string): Promise<unknown> => import(url);
