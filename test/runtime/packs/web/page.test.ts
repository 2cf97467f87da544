/** How a page is laid out within its time limit. */

import { expect, test, vi } from "vitest";

test("the time to load the libraries is not taken from the page's", async () => {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
  for (const library of ["linkedom", "turndown"])
    vi.doMock(library, async (original) => {
      aheadMs += 60_000;
      return original();
    });
  vi.resetModules();
  try {
    const { layOut } = await import("../../../../runtime/packs/web/page.js");
    const reading = { mode: "auto", format: "markdown", maxChars: 1000, ms: 30_000 } as const;
    const { content, remarks } = await layOut("<h1>Tides</h1><p><b>In</b></p>", "http://a.test/", reading);
    expect(aheadMs).toBe(120_000);
    expect({ content, remarks }).toEqual({ content: "# Tides\n\n**In**", remarks: [] });
  } finally {
    clock.mockRestore();
    for (const library of ["linkedom", "turndown"]) vi.doUnmock(library);
    vi.resetModules();
  }
});
