/** Argument styles: the table of the OpenAPI specification, and that no value can break out of its place. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HttpArgument, HttpCall } from "../../../runtime/contract/http-call.js";
import type { JsonValue } from "../../../runtime/contract/registry.js";
import { runs } from "../../../test/support/random.js";
import { sendableRequest } from "../request.js";
import { inHeader, inPath, inQuery } from "../write-argument.js";

const LIST = ["blue", "black"];
const OBJECT = { R: 100, G: 200 };
const at = (place: HttpArgument["in"], rest: Partial<HttpArgument> = {}): HttpArgument => ({
  argument: "color",
  in: place,
  ...rest,
});

describe("styles", () => {
  test.each<readonly [Partial<HttpArgument>, string, string, string]>([
    [{}, "blue", "blue,black", "R,100,G,200"],
    [{ explode: true }, "blue", "blue,black", "R=100,G=200"],
    [{ style: "label" }, ".blue", ".blue,black", ".R,100,G,200"],
    [{ style: "label", explode: true }, ".blue", ".blue.black", ".R=100.G=200"],
    [{ style: "matrix" }, ";color=blue", ";color=blue,black", ";color=R,100,G,200"],
    [{ style: "matrix", explode: true }, ";color=blue", ";color=blue;color=black", ";R=100;G=200"],
    [{ json: true }, "%22blue%22", "%5B%22blue%22%2C%22black%22%5D", "%7B%22R%22%3A100%2C%22G%22%3A200%7D"],
  ])("in a path: %j", (rest, text, list, object) => {
    expect(["blue", LIST, OBJECT].map((value) => inPath(at("path", rest), value))).toEqual([text, list, object]);
  });

  test.each<readonly [Partial<HttpArgument>, string, string]>([
    [{}, "color=blue&color=black", "R=100&G=200"],
    [{ explode: false }, "color=blue,black", "color=R,100,G,200"],
    [{ style: "spaceDelimited" }, "color=blue%20black", "color=R%20100%20G%20200"],
    [{ style: "pipeDelimited" }, "color=blue%7Cblack", "color=R%7C100%7CG%7C200"],
    [{ style: "pipeDelimited", explode: true }, "color=blue&color=black", "R=100&G=200"],
    [{ style: "deepObject", explode: true }, "color=blue&color=black", "color%5BR%5D=100&color%5BG%5D=200"],
    [{ json: true }, "color=%5B%22blue%22%2C%22black%22%5D", "color=%7B%22R%22%3A100%2C%22G%22%3A200%7D"],
    [{ name: "c[]" }, "c%5B%5D=blue&c%5B%5D=black", "R=100&G=200"],
  ])("in a query: %j", (rest, list, object) => {
    expect([LIST, OBJECT].map((value) => inQuery(at("query", rest), value).join("&"))).toEqual([list, object]);
  });

  test("in a query: nothing, and what is nested", () => {
    expect(inQuery(at("query"), null)).toEqual([]);
    expect(inQuery(at("query"), [])).toEqual([]);
    expect(inQuery(at("query", { explode: false }), [])).toEqual([]);
    expect(inQuery(at("query", { style: "deepObject" }), { a: { b: [1, 2] } })).toEqual([
      "color%5Ba%5D%5Bb%5D=1",
      "color%5Ba%5D%5Bb%5D=2",
    ]);
    expect(inQuery(at("query"), { a: { b: 1 } })).toEqual(["a=%7B%22b%22%3A1%7D"]);
    expect(inQuery(at("query", { reserved: true }), "a/b?c=d&e#f+g")).toEqual(["color=a/b?c=d%26e%23f%2Bg"]);
  });

  test("in a header", () => {
    expect([LIST, OBJECT, true].map((value) => inHeader(at("header"), value))).toEqual([
      "blue,black",
      "R,100,G,200",
      "true",
    ]);
    expect(inHeader(at("header", { explode: true }), OBJECT)).toBe("R=100,G=200");
  });
});

test("no value leads to another host, path or parameter", { tags: "full" }, async () => {
  const call: HttpCall = {
    source: "a.json",
    method: "GET",
    path: "/a/{p}/b",
    accept: "*/*",
    arguments: [
      { argument: "p", in: "path" },
      { argument: "q", in: "query" },
      { argument: "d", in: "query", style: "deepObject" },
    ],
  };
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("..", ".", "%2e%2e", "../..", "\\..\\", "//x.example", "?a=b", "#f", "\ud800", "@x", ";"),
  );
  const any: fc.Arbitrary<JsonValue> = fc.oneof(hostile, fc.array(hostile), fc.dictionary(hostile, hostile)) as never;
  await fc.assert(
    fc.asyncProperty(hostile, any, any, async (p, q, d) => {
      const made = await sendableRequest(
        call,
        "https://api.example.com/v1",
        { p, q, d },
        { headers: {}, query: { key: "k" } },
      ).catch((error: Error) => error);
      if (made instanceof Error) expect([".", "..", ""]).toContain(p);
      else {
        expect(made.url.origin).toBe("https://api.example.com");
        expect(made.url.pathname.split("/")).toHaveLength(5);
        expect(made.url.pathname).toMatch(/^\/v1\/a\/[^/]+\/b$/);
        expect(made.url.hash).toBe("");
        expect(made.url.searchParams.getAll("key")).toContain("k");
      }
    }),
    runs(3000),
  );
});
