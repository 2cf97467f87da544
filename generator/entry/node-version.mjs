// Ends a process of a Node.js that is too old, before a module is loaded that such a version cannot link, and one whose program is in an archive
// of Yarn. It uses nothing that is new.

/**
 * @param needed range of the package: `>=20.19`
 * @param version of Node.js, without the v
 * @returns what is wrong, in one sentence; undefined for a version that will do
 */
export function nodeFault(needed, version) {
  const numbers = (text) => (text.match(/\d+/g) || []).map(Number);
  const [least, own] = [numbers(needed), numbers(version)];
  const at = least.findIndex((number, i) => number !== own[i]);
  return at < 0 || own[at] > least[at]
    ? undefined
    : `toolwright needs Node.js ${least.join(".")} or newer, and this is ${version}: install a newer one from https://nodejs.org, or with a version manager, such as: nvm install 22`;
}

/** Where Yarn keeps packages that it does not put into folders. */
const ARCHIVED = /\.zip[\\/]node_modules[\\/]|[\\/]\.yarn[\\/]unplugged[\\/]/;

/**
 * @param program path of the program
 * @param pnp version of Yarn's Plug'n'Play in this process; undefined without it
 * @returns what is wrong with its place, in one sentence: child processes and the entries of clients start programs of the package, and Node.js starts none in
 * an archive; undefined for a folder
 */
export function placeFault(program, pnp) {
  return pnp !== undefined && ARCHIVED.test(program)
    ? 'toolwright cannot be started from the archives of Yarn\'s Plug\'n\'Play: have Yarn use folders with "yarn config set nodeLinker node-modules", then run "yarn install"'
    : undefined;
}

/** Ends the process with 2 if its Node.js is older than the range says, or its program is in an archive. */
export function requireNode(needed, program) {
  const fault = nodeFault(needed, process.versions.node) || placeFault(program, process.versions.pnp);
  if (fault === undefined) return;
  process.stderr.write(`error ${fault}\n`);
  process.exit(2);
}
