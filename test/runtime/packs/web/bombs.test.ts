/** Pages made to exhaust their reader are answered in bounded time. */

import { describe, expect, test } from "vitest";
import { withinMs } from "../../../../runtime/contract/time-budget.js";
import { webVisit } from "../../../../runtime/packs/web/visit.js";
import { eachCase } from "../../../support/each-case.js";
import { BOMBS } from "./bombs.js";
import { always, calling, serving } from "./loopback.js";

/** Two seconds of layout, half a second for each of two passes, and room for a busy machine. */
const LONGEST_MS = 8000;

describe("pages made to exhaust their reader", () => {
  eachCase(Object.keys(BOMBS), ...["nested div", "open attribute", "blanks"])(
    "are read within the bounds of time and size: %s",
    { tags: "full" },
    async (name) => {
      const { origin } = await serving(always(BOMBS[name]?.() ?? ""));
      const handler = webVisit();
      const { context } = calling();
      for (const mode of ["reader", "raw"] as const) {
        const started = performance.now();
        const answer = await handler(
          {
            url: origin,
            mode,
            max_chars: 12_000,
            output_format: "markdown",
            include_links: true,
            allow_redirects: true,
            force_refresh: false,
          },
          context,
        );
        expect(performance.now() - started).toBeLessThan(LONGEST_MS);
        expect(answer.content.length).toBeLessThanOrEqual(12_000);
        expect(answer.links?.length).toBeLessThanOrEqual(200);
      }
    },
  );
});

describe("a limit on work that never yields", () => {
  test("ends a loop and a regular expression", () => {
    const code = { code: "ERR_SCRIPT_EXECUTION_TIMEOUT" };
    expect(() =>
      withinMs(50, () => {
        for (;;);
      }),
    ).toThrow(expect.objectContaining(code));
    expect(() => withinMs(50, () => /^(a+)+$/.test(`${"a".repeat(60)}b`))).toThrow(expect.objectContaining(code));
  });

  test("gives what the work gives, and throws what it throws", () => {
    expect(withinMs(1000, () => 7)).toBe(7);
    expect(() => withinMs(1000, () => JSON.parse("{"))).toThrow(SyntaxError);
  });
});
