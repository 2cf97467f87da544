// Ends a process of a Node.js that is too old, before a module is loaded that such a version cannot link. It uses nothing that is new.

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

/** Ends the process with 2 if its Node.js is older than the range says. */
export function requireNode(needed) {
  const fault = nodeFault(needed, process.versions.node);
  if (fault === undefined) return;
  process.stderr.write(`error ${fault}\n`);
  process.exit(2);
}
