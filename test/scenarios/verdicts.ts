/** What the tests say of each scenario. */

/** A test as Vitest's JSON reporter writes it. */
export interface TestResult {
  readonly title: string;
  readonly status: string;
  readonly ancestorTitles: readonly string[];
}

/** What became of a scenario; `notRun` are the reasons of its tests that were skipped. */
export interface Verdict {
  readonly outcome: "passes" | "fails" | "not run" | "no test";
  readonly notRun: readonly string[];
}

/** A test of a scenario begins with its id; one test may stand for several scenarios. */
const IDS = /^(?:\[[A-Z]+-\d+\.\d+\]\s*)+/;

/**
 * Judges scenarios: one passes if a test of it passed and none failed. A test that is skipped says why in the title of the group around it,
 * as in `../shared/corpora is not there`.
 *
 * @param ids - of the scenarios, as in `scenarios.tsv`
 * @param results - of all tests; those without an id are left out
 * @example
 * verdictsOf(["OT-1.1"], [{ title: "[OT-1.1] all tools", status: "passed", ancestorTitles: [] }]).get("OT-1.1")?.outcome; // passes
 */
export function verdictsOf(ids: readonly string[], results: readonly TestResult[]): ReadonlyMap<string, Verdict> {
  const testsOf = new Map<string, TestResult[]>(ids.map((id) => [id, []]));
  for (const one of results)
    for (const [id] of (IDS.exec(one.title)?.[0] ?? "").matchAll(/[A-Z]+-\d+\.\d+/g)) testsOf.get(id)?.push(one);
  return new Map([...testsOf].map(([id, tests]) => [id, verdictOf(tests)]));
}

function verdictOf(tests: readonly TestResult[]): Verdict {
  const isDone = ({ status }: TestResult): boolean => status === "passed" || status === "failed";
  const notRun = [...new Set(tests.filter((one) => !isDone(one)).map(reasonOf))];
  const has = (status: string): boolean => tests.some((one) => one.status === status);
  if (tests.length === 0) return { outcome: "no test", notRun };
  return { outcome: has("failed") ? "fails" : has("passed") ? "passes" : "not run", notRun };
}

const reasonOf = ({ ancestorTitles }: TestResult): string =>
  ancestorTitles.findLast((title) => title.includes("is not")) ?? "its tests were skipped";
