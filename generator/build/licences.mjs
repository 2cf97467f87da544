// The licences of the packages that a bundle holds, as their authors ask: each package's name, version and licence text.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The text of all licences, sorted by package, of the inputs of several builds of esbuild. */
export function licencesOf(root, metafiles) {
  const inputs = metafiles.flatMap((one) => Object.keys(one.inputs));
  const folders = new Set(inputs.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? []));
  const texts = new Map([...folders].map((folder) => licenceIn(join(root, folder))));
  return [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([heading, text]) => `${heading}\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenceIn(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder)
    .filter((one) => LICENCE_FILE.test(one))
    .sort()[0];
  const by = typeof author === "string" ? author : author?.name;
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return [
    `${name} ${version} (${license})`,
    text || `Its authors: ${by ?? "see its repository"}. The package holds no licence text.`,
  ];
}
