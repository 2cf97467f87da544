/** The order in which Vitest starts the test files. */

import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take the longest, most of them because they wait: begun last, one of them would be all that runs at the end. */
const LONGEST = [
  "test/runtime/serve/http/process.test.ts",
  "test/runtime/run/attacks/company.test.ts",
  "features/docs-site/test/browser.test.ts",
  "test/runtime/run/languages/python/engine/cpython.test.ts",
  "test/runtime/run/attacks/cpython.test.ts",
  "test/runtime/access/parity.test.ts",
  "test/scenarios/upstream.test.ts",
  "test/runtime/serve/console/browser.test.ts",
  "test/scenarios/generator.test.ts",
  "test/scenarios/run.test.ts",
  "features/http-apis/test/api.test.ts",
  "test/runtime/run/languages/python/engine/cpython-limits.test.ts",
  "test/runtime/crash/state-file.test.ts",
  "test/scenarios/npm-upstreams.test.ts",
  "features/extensions/test/extensions.test.ts",
  "test/runtime/crash/frozen.test.ts",
  "test/runtime/crash/kill.test.ts",
  "test/scenarios/reload.test.ts",
  "test/scenarios/ci.test.ts",
  "test/package/installed.test.ts",
  "test/generator/source/functions.test.ts",
  "test/runtime/connections/sign-ins.test.ts",
];

/** Whether the folder of its feature is not there, which `npm run removal` takes out of a copy. */
const isOfAbsentFeature = (file: string): boolean => {
  const [folder] = /^features\/[^/]+/.exec(file) ?? [];
  return folder !== undefined && !existsSync(folder);
};

/** Starts the slowest files first; the others keep Vitest's order, the largest first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const file of LONGEST)
      if (!existsSync(file) && !isOfAbsentFeature(file)) throw new Error(`${file} is no more: take it out of LONGEST`);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(file));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
