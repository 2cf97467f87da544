/** The official schema of SARIF. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";

const require = createRequire(import.meta.url);
let sarif: ValidateFunction | undefined;

/** What the official schema of SARIF 2.1.0 refuses. It is written for draft-04, whose keywords here mean the same. */
export function sarifFaults(log: unknown): readonly unknown[] {
  sarif ??= compiledSarif();
  return sarif(log) ? [] : (sarif.errors ?? []);
}

function compiledSarif(): ValidateFunction {
  const path = require.resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(path, "utf8"));
  const options = {
    strict: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
    validateFormats: false,
  } as const;
  return new Ajv({ ...options, unicodeRegExp: false }).compile(schema);
}
