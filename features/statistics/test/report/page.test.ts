/** The HTML report of `ot.stats`: escaped, and the same for the same figures. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import fc from "fast-check";
import { Parser } from "htmlparser2";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { duration } from "../../../../runtime/contract/duration-text.js";
import { runs } from "../../../../test/support/random.js";
import { bucketOf, quantile } from "../../buckets.js";
import type { ReportFigures } from "../../report/figures.js";
import { cutName } from "../../report/format.js";
import { html, markupText } from "../../report/markup.js";
import { MARK, MARK_WITHIN, reportPage } from "../../report/page.js";
import { callBins } from "../../report/time-bins.js";
import { call, figuresOf, manyCalls, NOON } from "./fixture.js";

const DAY = 86_400_000;
const HOSTILE = `<script>alert(1)</script>"' onload=x &amp; --> ]]> \${x} \u202e\u2028`;

/** Text as HTML can hold it. */
const shown = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, "\uFFFD");

/** What a parser finds: names of elements, attributes, text. */
function parsed(page: string) {
  const found = { tags: new Set<string>(), attributes: new Set<string>(), values: new Set<string>(), text: "" };
  const parser = new Parser({
    onopentag(name, attributes) {
      found.tags.add(name);
      for (const [attribute, value] of Object.entries(attributes)) {
        found.attributes.add(attribute);
        found.values.add(value);
      }
    },
    ontext(text) {
      found.text += text;
    },
  });
  parser.end(page);
  return found;
}

/** Figures whose one op and one client have these names. */
const named = (figures: ReportFigures, op: string, client: string): ReportFigures => ({
  ...figures,
  query: { ...figures.query, op },
  stats: { ...figures.stats, tools: figures.stats.tools.map((one) => ({ ...one, tool: op })) },
  durations: new Map([[op, [...figures.durations.values()][0] ?? []]]),
  clients: figures.clients.map((one) => ({ ...one, client })),
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom("<", ">", "&", '"', "'", "/", "!", "-", "a", "=", " ", "\n", "\0", "\ud800", ";"),
  }),
  fc.constant(HOSTILE),
);

describe("escaping", () => {
  test("any text stays text, in an element and in an attribute", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { document } = parseHTML(`<body>${markupText(html`<p title="${text}">${text}</p>`)}</body>`);
        const [only, ...more] = document.querySelectorAll("body *");
        expect(more).toEqual([]);
        expect([only?.textContent, only?.getAttribute("title")]).toEqual([shown(text), shown(text)]);
      }),
      runs(1000),
    );
  });

  test("no name of an op or a client adds an element or an attribute to a report", async () => {
    const figures = await figuresOf([call()]);
    const plain = parsed(reportPage(named(figures, "demo.search", "test")));
    fc.assert(
      fc.property(anyText, anyText, (one, client) => {
        const op = `x.y${one}`;
        const found = parsed(reportPage(named(figures, op, `y${client}`)));
        expect([found.tags, found.attributes]).toEqual([plain.tags, plain.attributes]);
        expect(found.values).toContain(shown(op));
        expect(found.values).toContain(shown(`y${client}`));
        expect(found.text).toContain(`Statistics of ${shown(op)}`);
      }),
      runs(300),
    );
  });
});

describe("a report", () => {
  test("is the same for the same figures and time, in any time zone, language and folder", {
    tags: "full",
    timeout: 60_000,
  }, async () => {
    const program = `import { figuresOf, manyCalls } from "./fixture.ts";
      import { reportPage } from "../../report/page.ts";
      const figures = await figuresOf(manyCalls(["a.b", "a.c", "d.e"], 300, 20), { period: "month" });
      process.stdout.write(JSON.stringify([new Date(0).getHours(), reportPage(figures)]));`;
    const flags = ["--import", "tsx", "-C", "toolwright-source", "--input-type=module", "-e", program];
    const made = await Promise.all(
      [
        { TZ: "UTC", LANG: "C" },
        { TZ: "Asia/Kathmandu", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
      ].map(async (env) => {
        const options = { cwd: import.meta.dirname, env: { ...process.env, ...env }, maxBuffer: 1e8 };
        return JSON.parse((await promisify(execFile)(process.execPath, flags, options)).stdout);
      }),
    );
    expect(made.map(([hours]) => hours)).toEqual([0, 5]);
    expect(made[1][1]).toBe(made[0][1]);
    const figures = await figuresOf(manyCalls(["a.b", "a.c", "d.e"], 300, 20), { period: "month" });
    expect(reportPage(figures)).toBe(made[0][1]);
  });

  test("holds its mark early, no script, nothing to load, and a policy for its one style", async () => {
    const page = reportPage(await figuresOf(manyCalls(["a.b", HOSTILE], 200, 3)));
    expect(page.slice(0, MARK_WITHIN)).toContain(MARK);
    const { tags, attributes, values } = parsed(page);
    for (const tag of ["script", "link", "img", "iframe", "object", "a", "image", "use", "form"])
      expect(tags).not.toContain(tag);
    for (const name of ["src", "href", "xlink:href", "style", "srcset", "action"])
      expect(attributes).not.toContain(name);
    expect([...attributes].filter((name) => name.startsWith("on"))).toEqual([]);
    expect(page).not.toMatch(/https?:|url\(|@import/);
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(values).toContain(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
  });

  test("says the same in its charts and in the tables below them", async () => {
    const figures = await figuresOf(manyCalls(["a.b", "a.c"], 120, 6), { period: "week" });
    const { document } = parseHTML(reportPage(figures));
    const calls = document.querySelector("section[aria-labelledby=calls]");
    const rows = [...(calls?.querySelectorAll("tbody tr") ?? [])].map((row) =>
      [...row.children].map(({ textContent }) => textContent),
    );
    expect(rows).toHaveLength(8);
    for (const drawing of ["wide", "narrow"])
      expect([...(calls?.querySelectorAll(`svg.${drawing} title`) ?? [])].map((one) => one.textContent)).toEqual(
        rows.map(([day, count, failed]) => `${day}: ${count} calls, ${failed} failed`),
      );
    expect(rows.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(120);
    const durations = document.querySelector("section[aria-labelledby=duration]");
    const told = [...(durations?.querySelectorAll("tbody tr") ?? [])].map((row) => {
      const [tool, median, high] = [...row.children].map(({ textContent }) => textContent);
      return `${tool}: median ${median}, 95th percentile ${high}`;
    });
    expect([...(durations?.querySelectorAll("svg.wide title") ?? [])].map((one) => one.textContent)).toEqual(told);
  });

  test("of a single call has bars for the hours before it", async () => {
    const { document } = parseHTML(reportPage(await figuresOf([call()])));
    expect(document.querySelectorAll("section[aria-labelledby=calls] tbody tr")).toHaveLength(13);
    expect(document.querySelectorAll("svg.wide .done")).toHaveLength(1);
  });

  test("groups ops by pack with their sums, names that no tool has last", async () => {
    const ops = ["?", "b.one", "a.one", "a.two"];
    const { document } = parseHTML(reportPage(await figuresOf(ops.map((op) => call({ op })))));
    const packs = [...document.querySelectorAll("section[aria-labelledby=tools] .pack")];
    expect(packs.map((row) => [...row.children].slice(0, 2).map(({ textContent }) => textContent))).toEqual([
      ["a", "2"],
      ["b", "1"],
      ["names that no tool has", "1"],
    ]);
  });

  test("of nothing says so, and draws nothing", async () => {
    const page = reportPage(await figuresOf([], { period: "day" }));
    const { document } = parseHTML(page);
    expect(document.querySelector(".empty")?.textContent).toContain("No calls in this period.");
    expect(document.querySelectorAll("svg, table")).toHaveLength(0);
    expect([...document.querySelectorAll("h2")].map((one) => one.textContent)).toEqual(["How it is measured"]);
  });

  test("draws a duration over the last bound, and the clients beyond fifty as one", async () => {
    const calls = Array.from({ length: 53 }, (_, at) => call({ ms: 70_000, client: `c${at}` }));
    const figures = await figuresOf(calls);
    // Hours of earlier versions have no longest duration.
    const { document } = parseHTML(reportPage({ ...figures, longest: new Map() }));
    const titleIn = (page: typeof document) =>
      page.querySelector("section[aria-labelledby=duration] title")?.textContent;
    expect(titleIn(document)).toBe("demo.search: median over 1 min, 95th percentile over 1 min");
    expect(titleIn(parseHTML(reportPage(figures)).document)).toBe(
      "demo.search: median 1.1 min, 95th percentile 1.2 min",
    );
    const rows = [...document.querySelectorAll("section[aria-labelledby=clients] tbody tr")];
    expect([rows.length, rows.at(-1)?.textContent]).toEqual([51, expect.stringMatching(/^3 others3/)]);
    expect(reportPage(await figuresOf(calls))).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("times", () => {
  const hourOf = (ms: number) => new Date(ms).toISOString().slice(0, 13);

  test.each([
    ["a day", 1, "hour", 25],
    ["a week", 7, "day", 8],
    ["a month", 30, "day", 31],
    ["a quarter", 90, "week", 13],
    ["two years", 730, "month", 25],
    ["ten years", 3650, "year", 11],
  ])("%s is shown in bars of the unit that fits", (_, days, unit, bars) => {
    const hours = [{ hour: hourOf(NOON - days * DAY), calls: 3, errors: 1 }];
    const { unit: chosen, bins } = callBins(hours, NOON - days * DAY, NOON);
    expect([chosen.name, bins.length]).toEqual([unit, bars]);
    expect(bins[0]).toMatchObject({ calls: 3, errors: 1 });
  });

  test("no call is lost, and bars follow each other without a gap", () => {
    const hours = fc.array(fc.integer({ min: 0, max: 24 * 5000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(hours, (ages) => {
        const from = NOON - Math.max(...ages) * 3_600_000;
        const calls = ages.map((age) => ({ hour: hourOf(NOON - age * 3_600_000), calls: 2, errors: 1 }));
        const { unit, bins } = callBins(calls, from, NOON);
        expect(bins.reduce((sum, one) => sum + one.calls, 0)).toBe(ages.length * 2);
        expect(bins.length).toBeLessThanOrEqual(62);
        for (const [at, { from: start }] of bins.entries())
          expect(start).toBe(at === 0 ? unit.start(from) : unit.next(bins[at - 1]?.from ?? 0));
      }),
      runs(300),
    );
  });
});

describe("figures in words", () => {
  test("a quantile lies in the bucket of the value that it stands for", () => {
    const counts = fc.array(fc.nat(50), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(counts, fc.constantFrom(0.05, 0.5, 0.95), (buckets, share) => {
        const value = quantile(buckets, share);
        const total = buckets.reduce((sum, one) => sum + one, 0);
        if (total === 0) return expect(value).toBeNull();
        const bounds = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, Infinity];
        const below = (end: number) => buckets.slice(0, end + 1).reduce((sum, one) => sum + one, 0);
        const at = buckets.findIndex((_, end) => below(end) >= share * total - 1e-9);
        expect(value).toBeGreaterThanOrEqual(bounds[at] ?? 0);
        expect(value).toBeLessThanOrEqual((bounds[at + 1] ?? 0) + 1e-6);
      }),
      runs(1000),
    );
    expect(quantile([0, 0, 4], 0.5)).toBe(3.5);
  });

  test("a quantile does not exceed the longest duration", () => {
    const of = (...all: readonly number[]) =>
      Array.from({ length: 16 }, (_, at) => all.filter((ms) => bucketOf(ms) === at).length);
    const counts = of(7, 24, 56, 726);
    expect(quantile(counts, 0.95)).toBeGreaterThan(726);
    expect(quantile(counts, 0.95, 726)).toBeLessThanOrEqual(726);
    expect(quantile(counts, 0.95, 726)).toBeGreaterThan(500);
    expect(quantile(of(90_000, 90_000), 1, 90_000)).toBe(90_000);
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { minLength: 1 }), fc.constantFrom(0.05, 0.5, 0.95, 1), (all, share) => {
        expect(quantile(of(...all), share, Math.max(...all))).toBeLessThanOrEqual(Math.max(...all));
      }),
      runs(1000),
    );
  });

  test.each([
    [null, "–"],
    [0.04, "0 ms"],
    [9.96, "10 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1840, "1.8 s"],
    [90_000, "1.5 min"],
    [Number.POSITIVE_INFINITY, "over 1 min"],
  ])("%s ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test("long names lose their middle, wide letters count twice, no letter is halved", () => {
    expect(cutName("onto.task.list", 20)).toBe("onto.task.list");
    expect(cutName("onto.project.graph.reorganize", 15)).toBe("onto.proj…anize");
    expect(cutName("道具道具道具道具", 9)).toBe("道具…具");
    expect(cutName("😀😀😀😀", 5)).toBe("😀…");
  });
});
