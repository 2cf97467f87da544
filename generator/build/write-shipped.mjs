// Writes shipped.json, the packs that come with the package, from the built package: the last step of `npm run build`.
import { fileURLToPath } from "node:url";
import { writeShipped } from "../../dist/generator/source/write-shipped.js";

writeShipped(fileURLToPath(new URL("../..", import.meta.url)));
