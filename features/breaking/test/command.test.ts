/** Runs `breaking` as CI does: real git repositories, the real command line, every format and exit code. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { breakingRulesWith } from "../../../generator/core/breaking-rule.js";
import type { Finding } from "../../../runtime/contract/finding.js";
import { GET, id, LIST, repository } from "../../../test/support/breaking-repository.js";
import { tool } from "../../../test/support/generator-host.js";
import type { Json } from "../../../test/support/project.js";
import { FEATURES } from "../../list.js";
import { sarifFaults } from "./sarif-schema.js";

/** `lang` takes another value and `id` is not required: infos and, since positions change nothing, nothing else. */
const WIDER = tool("get_item", { id, lang: { type: "string", enum: ["de", "en", "fr"] } }, { required: ["id"] });
const NARROWER = tool("get_item", { id, lang: { type: "string", enum: ["de"] } }, { required: ["id"] });
const OTHER_DEFAULT = tool("list_items", { limit: { type: "integer", default: 50 } });

describe("formats and exit codes", () => {
  const shop = repository();
  beforeAll(async () => {
    await shop.define([GET, LIST]);
    shop.commit();
  });

  test("nothing changed: exit 0, which is reported", async () => {
    const { code, stdout, stderr } = await shop.breaking("--against", "git:main");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^compared generated\/registry\.json \(2 ops, [0-9a-f]{12}\) with git:main \(2 ops, [0-9a-f]{12}\)\nno change; at most a new patch version\n$/,
    );
  });

  describe("one error, one warning, one info", () => {
    beforeAll(() => shop.define([NARROWER, OTHER_DEFAULT, tool("get_price", { id })]));

    test("text: grouped by op, then counts and advice", async () => {
      const { code, stdout } = await shop.breaking("--against", "git:HEAD");
      expect(code).toBe(1);
      expect(stdout.replace(/[0-9a-f]{12}/g, "…")).toBe(
        `shop.get_item  get_item  definitions/tools.json:5:5
  error    arg-enum-value-removed  lang no longer takes en
                                   accepted before, refused now: {"id":"x","lang":"en"}

shop.list_items  list_items  definitions/tools.json:30:5
  warning  arg-default-changed     default of limit was 20, is 50

shop.get_price  get_price  definitions/tools.json:46:5
  info     tool-added              tool get_price is new

compared generated/registry.json (3 ops, …) with git:HEAD (2 ops, …)
1 error, 1 warning, 1 info; a new major version; fails on error
`,
      );
    });

    test("json: one document", { tags: "full" }, async () => {
      const { code, stdout } = await shop.breaking("--against", "git:main", "--format", "json");
      const report: Json = JSON.parse(stdout);
      expect(code).toBe(1);
      expect(Object.keys(report)).toEqual(["baseline", "head", "ok", "advice", "counts", "findings", "notes"]);
      expect(report).toMatchObject({
        baseline: { from: "git:main", ops: 2 },
        head: { from: "generated/registry.json", ops: 3 },
        ok: false,
        advice: "major",
        counts: { error: 1, warning: 1, info: 1 },
        notes: [],
      });
      expect(report.findings[0]).toEqual({
        rule: "arg-enum-value-removed",
        level: "error",
        surface: ["wire", "code"],
        op: "shop.get_item",
        tool: "get_item",
        pointer: "/properties/lang",
        before: "en",
        after: "",
        message: "lang no longer takes en",
        file: "definitions/tools.json",
        line: 5,
        column: 5,
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        counterexample: '{"id":"x","lang":"en"}',
      });
    });

    test("github: annotations, then the same counts", { tags: "full" }, async () => {
      const { code, stdout } = await shop.breaking("--against", "git:main", "--format", "github");
      expect(code).toBe(1);
      expect(stdout.split("\n").slice(0, 3)).toEqual([
        '::error file=definitions/tools.json,line=5,col=5,title=arg-enum-value-removed::shop.get_item: lang no longer takes en%0Aaccepted before, refused now: {"id":"x","lang":"en"}',
        "::warning file=definitions/tools.json,line=30,col=5,title=arg-default-changed::shop.list_items: default of limit was 20, is 50",
        "::notice file=definitions/tools.json,line=46,col=5,title=tool-added::shop.get_price: tool get_price is new",
      ]);
    });

    test("sarif: valid against the official schema, with every rule and stable fingerprints", {
      tags: "full",
    }, async () => {
      const [{ code, stdout }, json] = await Promise.all([
        shop.breaking("--against", "git:main", "--format", "sarif"),
        shop.breaking("--against", "git:main", "--format", "json"),
      ]);
      const log: Json = JSON.parse(stdout);
      const { findings } = JSON.parse(json.stdout) as { readonly findings: readonly Finding[] };
      expect(code).toBe(1);
      expect(sarifFaults(log)).toEqual([]);
      const [run] = log.runs;
      expect(run.tool.driver.rules.map((one: Json) => one.id)).toEqual(Object.keys(breakingRulesWith(FEATURES)));
      expect(run.results.map((one: Json) => one.level)).toEqual(["error", "warning", "note"]);
      for (const [i, one] of run.results.entries()) {
        expect(run.tool.driver.rules[one.ruleIndex].id).toBe(one.ruleId);
        expect(Object.values(one.partialFingerprints)).toEqual([findings[i]?.fingerprint]);
      }
      expect(sarifFaults({ ...log, version: "2.0.0" }), "the schema refuses something").not.toEqual([]);
    });

    test.each([
      ["error", "all", 1],
      ["warning", "all", 1],
      ["error", "wire", 1],
    ])("--fail-on %s --profile %s: exit %i", { tags: "full" }, async (level, profile, expected) => {
      const args = ["--against", "git:main", "--fail-on", level, "--profile", profile];
      expect((await shop.breaking(...args)).code).toBe(expected);
    });
  });

  describe("infos only", () => {
    beforeAll(() => shop.define([WIDER, LIST]));

    test.each([
      ["error", 0],
      ["warning", 0],
      ["info", 1],
    ])("--fail-on %s: exit %i", { tags: "full" }, async (level, expected) => {
      const { code, stdout } = await shop.breaking("--against", "git:main", "--fail-on", level);
      expect(code).toBe(expected);
      expect(stdout).toContain("1 info; at most a new patch version");
    });
  });

  describe("what only an agent notices", () => {
    beforeAll(() =>
      shop.define([
        tool("get_item", { ...{ id, lang: { type: "string", enum: ["de", "en"] } } }, { required: ["id"] }, ""),
        LIST,
      ]),
    );

    test("belongs to the profile all, not to code or wire", { tags: "full" }, async () => {
      const outcome = async (profile: string) => {
        const args = ["--against", "git:main", "--fail-on", "warning", "--profile", profile];
        const { code, stdout } = await shop.breaking(...args);
        return [code, stdout.includes("description-removed")];
      };
      expect(await outcome("all")).toEqual([1, true]);
      expect(await outcome("code")).toEqual([0, false]);
      expect(await outcome("wire")).toEqual([0, false]);
    });
  });

  test("a new tool is minor", { tags: "full" }, async () => {
    await shop.define([GET, LIST, tool("get_price", { id })]);
    expect((await shop.breaking("--against", "git:main")).stdout).toContain("1 info; a new minor version");
  });

  test("definitions that changed since generate: a note on the error stream, the output stays clean", {
    tags: "full",
  }, async () => {
    await shop.define([GET, LIST]);
    writeFileSync(join(shop.root, "definitions", "tools.json"), JSON.stringify([GET]));
    const { code, stdout, stderr } = await shop.breaking("--against", "git:main", "--format", "json");
    expect(code).toBe(0);
    expect(stderr).toContain('generated/ is older than definitions/tools.json: run "toolwright generate"');
    expect(JSON.parse(stdout).notes).toHaveLength(1);
    await shop.define([GET, LIST]);
  });
});

describe("configuration", () => {
  const shop = repository();
  beforeAll(async () => {
    await shop.define([GET, LIST]);
    shop.commit();
  });
  const outcome = async (breaking: string, ...args: readonly string[]) => {
    await shop.define([NARROWER, OTHER_DEFAULT], `breaking: ${breaking}\n`);
    const { code, stdout, stderr } = await shop.breaking("--against", "git:main", "--format", "json", ...args);
    return { code, stderr, rules: stdout === "" ? [] : JSON.parse(stdout).findings.map((one: Finding) => one.rule) };
  };

  test("level: another one, and off", { tags: "full" }, async () => {
    const level = "{ level: { arg-enum-value-removed: info, arg-default-changed: off } }";
    expect(await outcome(level)).toMatchObject({ code: 0, rules: ["arg-enum-value-removed"] });
  });

  test("fail_on and profile: from the file, and over it from the command line", { tags: "full" }, async () => {
    const file = "{ fail_on: warning, profile: code, level: { arg-enum-value-removed: off } }";
    expect(await outcome(file)).toMatchObject({ code: 1, rules: ["arg-default-changed"] });
    expect(await outcome(file, "--fail-on", "error")).toMatchObject({ code: 0 });
    expect(await outcome("{ fail_on: info }", "--fail-on", "error", "--profile", "wire")).toMatchObject({ code: 1 });
  });

  test("ignore: by rule and op", { tags: "full" }, async () => {
    expect(await outcome("{ ignore: { arg-enum-value-removed: [shop.*] } }")).toMatchObject({
      code: 0,
      rules: ["arg-default-changed"],
    });
  });

  test("an entry of ignore whose finding is no longer there stays, as long as its op does", {
    tags: "full",
  }, async () => {
    expect(
      await outcome("{ ignore: { arg-removed: [shop.get_item], arg-enum-value-removed: [shop.*] } }"),
    ).toMatchObject({
      code: 0,
    });
  });

  test("an entry of ignore that matches no op is an error with its place", { tags: "full" }, async () => {
    const { code, stderr, rules } = await outcome("{ ignore: { arg-enum-value-removed: [shop.*, shop.get_itm] } }");
    expect({ code, rules }).toEqual({ code: 2, rules: [] });
    expect(stderr).toBe(
      "error definitions/toolwright.yaml:4:56 breaking.ignore.arg-enum-value-removed shop.get_itm matches no op; did you mean shop.get_item? correct or remove the entry\n",
    );
  });

  test("an unknown rule is an error of the configuration", { tags: "full" }, async () => {
    writeFileSync(
      join(shop.root, "definitions", "toolwright.yaml"),
      "sources: [{ chat-tools: tools.json, pack: shop }]\nbreaking: { level: { arg-remove: info } }\n",
    );
    const { code, stderr } = await shop.breaking("--against", "git:main");
    expect(code).toBe(2);
    expect(stderr).toContain(
      "config-unknown-key  unknown key 'breaking.level.arg-remove' (did you mean 'arg-removed'?)",
    );
  });

  test("an invalid day of a tombstone is an error of the configuration", { tags: "full" }, async () => {
    writeFileSync(
      join(shop.root, "definitions", "toolwright.yaml"),
      "sources: [{ chat-tools: tools.json, pack: shop }]\nreserved: [{ tool: a, op: shop.a, since: 2026-02-30 }]\n",
    );
    const { code, stderr } = await shop.breaking("--against", "git:main");
    expect(code).toBe(2);
    expect(stderr).toContain('reserved[0].since must be a day like 2026-11-01, got "2026-02-30"');
  });
});

describe("tombstones", () => {
  const shop = repository();
  const stone = (sunset: string) =>
    `reserved: [{ tool: get_item, op: shop.get_item, since: 2026-08-01${sunset}, use: shop.list_items }]\n`;
  beforeAll(async () => {
    await shop.define([GET, LIST]);
    shop.commit();
  });
  const levelOf = async (sunset: string, ...args: readonly string[]) => {
    await shop.define([LIST], stone(sunset));
    const { code, stdout } = await shop.breaking("--against", "git:main", "--format", "json", ...args);
    const [first]: readonly Finding[] = JSON.parse(stdout).findings;
    return [code, first?.rule, first?.level];
  };

  test("without a sunset a removal is a warning, and says what to use", { tags: "full" }, async () => {
    expect(await levelOf("")).toEqual([0, "tool-removed", "warning"]);
    const { stdout } = await shop.breaking("--against", "git:main");
    expect(stdout).toContain("tool get_item is gone; use shop.list_items");
  });

  test("before its sunset it is an error, on the day and after it an info", { tags: "full" }, async () => {
    expect(await levelOf(", sunset: 2026-11-01", "--today", "2026-10-31")).toEqual([
      1,
      "tool-removed-before-sunset",
      "error",
    ]);
    expect(await levelOf(", sunset: 2026-11-01", "--today", "2026-11-01")).toEqual([0, "tool-removed", "info"]);
  });

  test("without --today the later commit says which day it is", { tags: "full" }, async () => {
    const sunset = ", sunset: 2026-09-01";
    expect((await levelOf(sunset))[1]).toBe("tool-removed-before-sunset");
    shop.commit("2026-09-02T12:00:00Z");
    const { stdout } = await shop.breaking("--against", "git:HEAD~1", "--format", "json");
    expect(JSON.parse(stdout).findings[0]).toMatchObject({ rule: "tool-removed", level: "info" });
  });

  test("its name stays reserved", { tags: "full" }, async () => {
    await shop.define([LIST, tool("get_item", { code: { type: "integer" } })], stone(""));
    const { code, stdout } = await shop.breaking("--against", "git:HEAD");
    expect(code).toBe(1);
    expect(stdout).toContain("shop.get_item is reserved since 2026-08-01, but is a tool with another input");
  });

  test("an invalid day is refused", { tags: "full" }, async () => {
    const { code, stderr } = await shop.breaking("--against", "git:main", "--today", "tomorrow");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "error --today tomorrow: give a day like 2026-11-01\n" });
  });
});

describe("downstream", () => {
  test("aliases, snippets and examples, and what still names what is gone", { tags: "full" }, async () => {
    const shop = repository();
    const snippets = {
      "snippets.yaml": 'one:\n  params: { id: {} }\n  body: |\n    shop.get_item(id="{{ id }}")\ntwo:\n  body: "1"\n',
    };
    const examples =
      "ops: { list_items: { examples: [{ limit: 90 }] } }\naliases: { li: shop.list_items, gi: shop.get_item }\n";
    await shop.define([GET, LIST], examples, snippets);
    shop.commit();
    const small = tool("list_items", { limit: { type: "integer", default: 20, maximum: 50 } });
    await shop.define([small], "aliases: { li: shop.list_items }\n", {
      "snippets.yaml": snippets["snippets.yaml"].split("two:")[0] ?? "",
    });
    const { code, stdout } = await shop.breaking("--against", "git:main", "--format", "json");
    const found: readonly Finding[] = JSON.parse(stdout).findings;
    expect(code).toBe(1);
    expect(found.map((one) => `${one.rule} ${one.op}: ${one.message}`).sort()).toEqual([
      "alias-removed shop.get_item: alias gi of shop.get_item is gone",
      "arg-range-narrowed shop.list_items: range of limit was open, is maximum 50",
      "example-invalidated shop.list_items: example 1 no longer fits: /limit breaks maximum 50",
      "reference-broken $one: snippet $one names shop.get_item, which is gone",
      "snippet-removed $two: snippet $two is gone",
      "tool-removed shop.get_item: tool get_item is gone",
    ]);
    expect(found.find((one) => one.rule === "reference-broken")).toMatchObject({
      file: "definitions/snippets.yaml",
      line: 1,
    });
  });
});

describe("a registry that older rules of classification made", () => {
  const shop = repository();
  const END = tool("terminate_job", { id });
  const older = (description: string): void => {
    const path = join(shop.root, "generated/registry.json");
    const { classification, ...registry } = JSON.parse(readFileSync(path, "utf8"));
    const tools = registry.tools.map((one: Json) => ({
      ...{ ...one, description },
      annotations: { ...one.annotations, destructiveHint: false },
    }));
    expect(classification).toBeGreaterThan(1);
    writeFileSync(path, JSON.stringify({ ...registry, tools }));
    shop.commit();
  };
  const found = async () => {
    const { code, stdout } = await shop.breaking("--against", "git:HEAD", "--format", "json");
    const { findings }: { readonly findings: readonly Finding[] } = JSON.parse(stdout);
    return { code, hints: findings.filter((one) => one.rule === "annotation-destructive-added") };
  };

  test("a hint that only the rules changed is information, with the version", async () => {
    await shop.define([END]);
    older("Does terminate_job.");
    await shop.define([END]);
    const { code, hints } = await found();
    expect(code).toBe(0);
    expect(hints).toMatchObject([
      { level: "info", reason: expect.stringMatching(/^its definition is the same: toolwright \d+\.\d+\.\d+ judges/) },
    ]);
  });

  test("a hint of a tool whose definition changed is an error", async () => {
    await shop.define([END]);
    older("Something else.");
    await shop.define([END]);
    expect((await found()).hints).toMatchObject([{ level: "error" }]);
  });
});
