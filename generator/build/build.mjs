// The last step of `npm run build`: writes the programs of dist/, schema.json and shipped.json. tsc has written the declarations.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleFile, bundleParts, bundleProgram, dependenciesOf, MODULES } from "./bundle.mjs";
import { onlyReachable, withoutLibraries } from "./declarations.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const dist = join(root, "dist");
writeFileSync(join(dist, "LICENSES.txt"), await bundleProgram(root, join(dist, "generator")));
for (const name of MODULES) await bundleFile(root, `runtime/${name}.ts`, join(dist, "runtime", `${name}.js`));
onlyReachable(dist, ["generator/entry/index.d.ts", ...MODULES.map((name) => `runtime/${name}.d.ts`)]);
const installed = ["node:", "toolwright", ...dependenciesOf(root)];
withoutLibraries(dist, (name) => installed.some((one) => name.startsWith(one)));

const parts = join(root, ".cache", "build", "parts.mjs");
await bundleParts(root, parts);
const { packageSchema, writeShipped } = await import(pathToFileURL(parts).href);
writeFileSync(join(root, "schema.json"), `${JSON.stringify(packageSchema(), null, 1)}\n`);
writeShipped(root);
