// Writes schema.json, for editors, from the built package: the last step of `npm run build`.
import { writeFileSync } from "node:fs";
import { editorSchema } from "../../dist/generator/config/editor-schema.js";

writeFileSync(new URL("../../schema.json", import.meta.url), `${JSON.stringify(editorSchema(), null, 1)}\n`);
