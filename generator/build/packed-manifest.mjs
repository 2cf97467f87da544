// Run by npm before and after a pack. The script `prepare` builds a checkout that is installed by its path; npm warns of it where a tarball is installed,
// although it runs none there. So the package.json of a tarball is without it.
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";

const BEGIN = '  "scripts": {\n';
const PREPARE = '    "prepare": "node generator/build/prepare.mjs",\n';

/** The text of package.json for a tarball. */
const forTarball = (text) => text.replace(PREPARE, "");

/** The text of package.json for a checkout, also after a pack that was interrupted. */
const forCheckout = (text) => forTarball(text).replace(BEGIN, BEGIN + PREPARE);

const file = new URL("../../package.json", import.meta.url);
writeFileSync(file, (argv[2] === "tarball" ? forTarball : forCheckout)(readFileSync(file, "utf8")));
