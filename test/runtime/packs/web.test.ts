/** The pack `web` through the gateway, against servers on loopback. */

import type { RequestListener } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { overlapOf } from "../../support/overlap.js";
import type { Json } from "../../support/project.js";
import { broken, hanging, redirect, status, truncated } from "./doubles.js";
import { type Change, openPacks, sharedRoot } from "./project.js";
import { always, serving } from "./web/loopback.js";

const root = sharedRoot();

const exec = async (op: string, args: object, change?: Change): Promise<Json> =>
  (await openPacks(root(), change)).exec(op, args);
const PAGE = '<title>Tides</title><main><h1>Tides</h1><p>In <b>and</b> out. <a href="/moon">Moon</a></p></main>';

/** A server whose answers follow each other; the last one stays. */
const scripted = (...steps: readonly RequestListener[]) => {
  let at = 0;
  return serving((request, response) => steps[Math.min(at++, steps.length - 1)]?.(request, response));
};

describe("web.fetch", () => {
  test("gives a page as Markdown, with its length", async () => {
    const { origin } = await serving(always(PAGE));
    const content = "# Tides\n\nIn **and** out. [Moon](http://HOST/moon)".replace("http://HOST", origin);
    const { ok, result } = await exec("web.fetch", { url: origin });
    expect(ok).toBe(true);
    expect(result).toEqual({
      url: origin,
      final_url: `${origin}/`,
      title: "Tides",
      content,
      length: content.length,
      truncated: false,
    });
  });

  test("as text, cut, and with its links", async () => {
    const { origin } = await serving(always(PAGE));
    const args = { url: origin, format: "text", max_chars: 5, include_links: true };
    const { result } = await exec("web.fetch", args);
    expect(result).toMatchObject({
      content: "Tides",
      length: 5,
      truncated: true,
      links: [{ text: "Moon", url: `${origin}/moon` }],
    });
  });

  test("keeps a page for the next call, unless it is to be loaded anew", async () => {
    const { origin, requests } = await serving(always(PAGE));
    const { exec: call } = await openPacks(root());
    await call("web.fetch", { url: origin });
    await call("web.fetch", { url: origin, max_chars: 3 });
    expect(requests).toHaveLength(1);
    await call("web.fetch", { url: origin, refresh: true });
    expect(requests).toHaveLength(2);
  });

  test("keeps no page for a gateway that may not reach it", async () => {
    const { origin } = await serving(always(PAGE));
    await exec("web.fetch", { url: origin });
    const { error } = await exec("web.fetch", { url: origin }, { config: { web: { allow_private: [] } } });
    expect(error.details.field_errors[0]).toMatchObject({ path: "url", keyword: "private_address" });
  });

  test.each([
    ["503, then the page", [status(503, { "retry-after": "0" })]],
    ["429, then the page", [status(429, { "retry-after": "0" })]],
    ["a connection that breaks, twice", [broken, broken]],
    ["a page that breaks off", [truncated]],
  ])("%s: tried again", { tags: "full" }, async (_, steps) => {
    const { origin, requests } = await scripted(...steps, always(PAGE));
    const { ok, result } = await exec("web.fetch", { url: origin });
    expect([ok, result?.title]).toEqual([true, "Tides"]);
    expect(requests).toHaveLength(steps.length + 1);
  });

  test.each([
    ["404", status(404), "NOT_FOUND"],
    ["403", status(403), "UNAVAILABLE"],
    ["an image", always("x", "image/png"), "VALIDATION_ERROR"],
    ["a redirect to a private address", redirect("http://127.0.0.2:8080/"), "VALIDATION_ERROR"],
    ["a redirect to a file", redirect("file:///etc/passwd"), "VALIDATION_ERROR"],
    ["a wait longer than the call", status(429, { "retry-after": "600" }), "RATE_LIMITED"],
  ])("%s: told at once", async (_, step, code) => {
    const { origin, requests } = await serving(step);
    expect((await exec("web.fetch", { url: origin })).error.code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  test("the deadline ends a page that does not come", async () => {
    const { origin } = await serving(hanging);
    const config = { web: { allow_private: ["127.0.0.1"] }, limits: { call_timeout_ms: 300 } };
    expect((await exec("web.fetch", { url: origin }, { config })).error.code).toBe("TIMEOUT");
  });

  test.each(["ftp://example.com/", "example.com", "file:///etc/passwd", "http://user:secret@example.com/"])(
    "%s is no address to read",
    async (url) => {
      const { error } = await exec("web.fetch", { url });
      expect(error.code).toBe("VALIDATION_ERROR");
      expect(error.details.field_errors[0].path).toBe("url");
    },
  );
});

describe("web.fetch_batch", () => {
  test("gives each address its page or its error, in order", async () => {
    const { origin } = await serving((request, response) =>
      request.url === "/gone" ? status(404)(request, response) : always(PAGE)(request, response),
    );
    const urls = [`${origin}/a`, `${origin}/gone`, "http://127.0.0.2:8080/", "nonsense", `${origin}/b`];
    const { ok, result } = await exec("web.fetch_batch", { urls, max_chars: 7 });
    expect(ok).toBe(true);
    expect(result.results.map(({ url }: Json) => url)).toEqual(urls);
    expect(result.results.map(({ page, error }: Json) => page?.content ?? error.code)).toEqual([
      "# Tides",
      "NOT_FOUND",
      "VALIDATION_ERROR",
      "VALIDATION_ERROR",
      "# Tides",
    ]);
    expect([result.succeeded, result.failed]).toEqual([2, 3]);
  });

  test("loads no more than four at once", async () => {
    const overlap = overlapOf(4);
    const { origin } = await serving(async (request, response) => {
      (await overlap.enter())();
      always(PAGE)(request, response);
    });
    const urls = Array.from({ length: 10 }, (_, n) => `${origin}/${n}`);
    expect((await exec("web.fetch_batch", { urls })).result.succeeded).toBe(10);
    expect(overlap.most()).toBe(4);
  });

  test("keeps what is there when one page does not come in time", { tags: "full" }, async () => {
    const { origin } = await serving((request, response) => request.url === "/late" || always(PAGE)(request, response));
    const config = { web: { allow_private: ["127.0.0.1"] }, limits: { call_timeout_ms: 3000 } };
    const { result } = await exec("web.fetch_batch", { urls: [`${origin}/late`, `${origin}/soon`] }, { config });
    expect(result.results.map(({ error }: Json) => error?.code)).toEqual(["TIMEOUT", undefined]);
  });

  test("a caller that goes ends the loading", async () => {
    const { origin, requests } = await serving(hanging);
    const leaving = new AbortController();
    const { exec: call } = await openPacks(root());
    const answer = call(
      "web.fetch_batch",
      { urls: Array.from({ length: 10 }, (_, n) => `${origin}/${n}`) },
      leaving.signal,
    );
    await vi.waitFor(() => expect(requests).toHaveLength(4));
    leaving.abort();
    expect((await answer).error.code).toBe("CANCELLED");
    expect(requests).toHaveLength(4);
  });

  test("takes one to ten addresses", async () => {
    for (const urls of [[], Array.from({ length: 11 }, () => "http://example.com/")])
      expect((await exec("web.fetch_batch", { urls })).error.code).toBe("VALIDATION_ERROR");
  });
});
