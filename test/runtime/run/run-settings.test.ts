/** Settings of `run`: defaults and upper limits. */

import { describe, expect, test } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";

describe("sanitize", () => {
  const { sanitizes } = runSettingsOf({
    sanitize: { default: false, ops: { "web.*": true, "web.local.*": false, "*.raw": true } },
    servers: { "git-hub": { sanitize: true }, files: {} },
  });

  test.each([
    ["web.fetch", true, "a pattern"],
    ["web.local.list", false, "the longest pattern"],
    ["shop.raw", true, "a pattern of the end"],
    ["git_hub.search", true, "its server"],
    ["files.read", false, "the default"],
  ])("%s: %j, by %s", (op, isOn) => {
    expect(sanitizes(op)).toBe(isOn);
  });

  test("by default nothing is", () => {
    expect(runSettingsOf({}).sanitizes("a.b")).toBe(false);
    expect(runSettingsOf({ sanitize: { default: true } }).sanitizes("a.b")).toBe(true);
  });
});

test("a limit over its ceiling is the ceiling", () => {
  expect(runSettingsOf({ limits: { cpu_ms: 900_000 } }).limits.cpuMs).toBe(300_000);
});
