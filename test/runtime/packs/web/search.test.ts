/** `util.web.search`: the request to Brave, and its answer. */

import { describe, expect, test } from "vitest";
import { braveSearch } from "../../../../runtime/packs/web/brave.js";
import { type SearchArgs, webSearch } from "../../../../runtime/packs/web/search.js";
import { always, calling, failureOf, fieldOf, type Loopback, type Setting, serving } from "./loopback.js";

const ARGS: SearchArgs = { query: "tide tables", search_depth: "basic", max_results: 5, include_answer: true };
const SECRETS = { BRAVE_API_KEY: "BSA-test-key" };

const hit = (url: string, more: object = {}) => ({
  title: `Title of ${url}`,
  url,
  description: `About ${url}`,
  ...more,
});

/** What Brave answers, as far as it is looked at. */
const ANSWER = {
  type: "search",
  query: { original: "tide tables" },
  web: {
    type: "search",
    results: [
      hit("https://example.com/a", {
        title: "A &amp; <strong>B</strong>",
        description: "The <strong>tide</strong> &#x27;s in",
      }),
      hit("https://docs.example.com/b", { extra_snippets: ["More <b>here</b>", ""] }),
      hit("https://example.com/a"),
      hit("https://notexample.com/c"),
      hit("javascript:alert(1)"),
      hit("https://other.org/d"),
      "nonsense",
    ],
  },
  infobox: {
    type: "graph",
    results: [{ title: "Tide", description: "Short.", long_desc: "The <b>tide</b> rises twice a day." }],
  },
};

const answering = (answer: unknown = ANSWER) => serving(always(JSON.stringify(answer), "application/json"));

async function search(server: Loopback, args: Partial<SearchArgs> = {}, setting: Setting = { secrets: SECRETS }) {
  const { context, warnings } = calling(setting);
  const found = await webSearch(braveSearch({ url: `${server.origin}/res/v1/web/search` }))(
    { ...ARGS, ...args },
    context,
  );
  return { ...found, warnings };
}

const asked = ({ requests }: Loopback, index = 0): URLSearchParams =>
  new URL(requests[index]?.url ?? "", "http://x").searchParams;

describe("what Brave is asked", () => {
  test("the query, with the key in its header and nowhere else", async () => {
    const server = await answering();
    await search(server);
    expect(server.requests[0]?.url).toMatch(/^\/res\/v1\/web\/search\?/);
    expect(server.requests[0]?.method).toBe("GET");
    expect(server.requests[0]?.headers).toMatchObject({
      "x-subscription-token": "BSA-test-key",
      accept: "application/json",
    });
    expect(server.requests[0]?.url).not.toContain("BSA");
    expect(Object.fromEntries(asked(server))).toEqual({
      q: "tide tables",
      count: "5",
      result_filter: "web,infobox",
      text_decorations: "false",
    });
  });

  test("advanced asks for more, no answer for less", async () => {
    const server = await answering();
    await search(server, { search_depth: "advanced", include_answer: false });
    expect(Object.fromEntries(asked(server))).toMatchObject({
      count: "20",
      result_filter: "web",
      extra_snippets: "true",
    });
  });

  test("domains as operators", async () => {
    const server = await answering();
    await search(server, { include_domains: ["example.com"], exclude_domains: ["a.org", "https://B.org/x"] });
    expect(asked(server).get("q")).toBe("tide tables site:example.com -site:a.org -site:b.org");
    expect(asked(server).get("count")).toBe("20");
    await search(server, { include_domains: ["example.com", "*.example.org"] });
    expect(asked(server, 1).get("q")).toBe("tide tables (site:example.com OR site:example.org)");
  });

  test("no more than it takes", async () => {
    const server = await answering();
    const long = "x".repeat(395);
    const { warnings } = await search(server, { query: long, include_domains: ["example.com"] });
    expect([asked(server).get("q"), warnings]).toEqual([long, []]);
    const { warnings: told } = await search(server, { query: "word ".repeat(60) });
    expect(asked(server, 1).get("q")?.split(" ")).toHaveLength(50);
    expect(told).toEqual([expect.stringMatching(/^query_cut: /)]);
  });
});

describe("what is answered", () => {
  test("hits with their rank, each once, in plain text", async () => {
    const { results, answer } = await search(await answering());
    expect(answer).toBe("The tide rises twice a day.");
    expect(results.map(({ url, score }) => [url, score])).toEqual([
      ["https://example.com/a", 1],
      ["https://docs.example.com/b", 0.5],
      ["https://notexample.com/c", 0.33],
      ["https://other.org/d", 0.25],
    ]);
    expect(results[0]).toEqual({ title: "A & B", url: "https://example.com/a", snippet: "The tide 's in", score: 1 });
    expect(results[1]?.snippet).toBe("About https://docs.example.com/b\nMore here");
  });

  test("only as many as wanted, and an answer only where one is wanted and there is one", async () => {
    const server = await answering();
    expect((await search(server, { max_results: 2 })).results).toHaveLength(2);
    expect(await search(server, { include_answer: false })).not.toHaveProperty("answer");
    const plain = await answering({ web: ANSWER.web });
    expect(await search(plain)).not.toHaveProperty("answer");
  });

  test("domain filters hold, even if the provider ignores them", async () => {
    const server = await answering();
    const urls = async (args: Partial<SearchArgs>) => (await search(server, args)).results.map(({ url }) => url);
    expect(await urls({ include_domains: ["example.com"] })).toEqual([
      "https://example.com/a",
      "https://docs.example.com/b",
    ]);
    expect(await urls({ include_domains: ["example.com"], exclude_domains: ["docs.example.com"] })).toEqual([
      "https://example.com/a",
    ]);
    expect(await urls({ exclude_domains: ["example.com"] })).toEqual([
      "https://notexample.com/c",
      "https://other.org/d",
    ]);
  });

  test.each([{}, { web: null }, { web: { results: {} } }, [], "text", null, { web: { results: [null, 1, {}] } }])(
    "nothing for %j",
    async (answer) => {
      expect((await search(await answering(answer))).results).toEqual([]);
    },
  );
});

describe("failures", () => {
  test("without a key nothing is sent", async () => {
    const server = await answering();
    const failure = await failureOf(search(server, {}, { secrets: {} }));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { secret: "BRAVE_API_KEY" } });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    [429, { "retry-after": "3" }, "RATE_LIMITED", { retry_after_ms: 3000 }],
    [
      429,
      { "x-ratelimit-remaining": "0, 14523", "x-ratelimit-reset": "1, 1419704" },
      "RATE_LIMITED",
      { retry_after_ms: 1000 },
    ],
    [
      429,
      { "x-ratelimit-remaining": "1, 0", "x-ratelimit-reset": "1, 7200" },
      "RATE_LIMITED",
      { retry_after_ms: 7_200_000 },
    ],
    [429, {}, "RATE_LIMITED", { retry_after_ms: 10_000 }],
    [500, {}, "UNAVAILABLE", { status: 500 }],
    [503, {}, "UNAVAILABLE", { status: 503 }],
    [401, {}, "UNAVAILABLE", { secret: "BRAVE_API_KEY", status: 401 }],
    [403, {}, "UNAVAILABLE", { secret: "BRAVE_API_KEY", status: 403 }],
    [422, {}, "UNAVAILABLE", { status: 422 }],
  ])("%d %j is %s", async (status, headers, code, details) => {
    const server = await serving(always("{}", "application/json", status, headers));
    const failure = await failureOf(search(server));
    expect(failure).toMatchObject({ code, details });
    expect(JSON.stringify([failure.message, failure.details])).not.toContain("BSA-test-key");
  });

  test("something that is no JSON", async () => {
    const server = await serving(always("<html>", "text/html"));
    expect(await failureOf(search(server))).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("a redirect is not followed, since the key would go along", async () => {
    const other = await answering();
    const server = await serving((_, response) => void response.writeHead(302, { location: other.origin }).end());
    expect(await failureOf(search(server))).toMatchObject({ code: "UNAVAILABLE" });
    expect(other.requests).toHaveLength(0);
  });

  test("a provider on a private address needs an allowance like any other", async () => {
    const server = await answering();
    const failure = await failureOf(search(server, {}, { secrets: SECRETS, allowPrivate: [] }));
    expect(fieldOf(failure)?.keyword).toBe("private_address");
  });

  test.each(["", "a b", "x site:evil.org", "[::1]", "/", "a..b", "-"])("%j is no domain", async (domain) => {
    const server = await answering();
    const failure = await failureOf(search(server, { include_domains: ["example.com", domain] }));
    expect(failure.code).toBe("VALIDATION_ERROR");
    expect(fieldOf(failure)).toEqual({ path: "include_domains[1]", keyword: "format" });
    expect(server.requests).toHaveLength(0);
  });
});
