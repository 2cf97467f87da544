/** The form of a result of `run`: `__format__` and `__sanitize__`. */

import { describe, expect, test } from "vitest";
import { runDemo, SLOW } from "../support/run/run-demo.js";

const { ok, bad } = runDemo();

describe("formats", () => {
  const VALUE = '{"a":1,"b":[1,{"c":2}],"d":{}}';
  test.each([
    ["[RUN-13.1] default", VALUE, VALUE],
    ["[RUN-13.1] default, of a tool", 'demo.search(query="t")', '{"query":"t","count":5}'],
    ["[RUN-13.2] json", `__format__ = "json"; ${VALUE}`, VALUE],
    ["[RUN-13.2] json, not ASCII", '__format__ = "json"; {"é日": ["a\\n😀", 1.0]}', '{"é日":["a\\n😀",1.0]}'],
    [
      "[RUN-13.3] json_h",
      `__format__ = "json_h"; ${VALUE}`,
      '{\n  "a": 1,\n  "b": [\n    1,\n    {\n      "c": 2\n    }\n  ],\n  "d": {}\n}',
    ],
    ["[RUN-13.4] yml", '__format__ = "yml"; {"a":1,"b":[1,2],"x":(1,2)}', "{a: 1, b: [1, 2], x: [1, 2]}"],
    ["[RUN-13.4] yml of a list", `__format__ = "yml"; [{"a": "x: y"}]`, "[{a: 'x: y'}]"],
    ["[RUN-13.5] yml_h", `__format__ = "yml_h"; ${VALUE}`, "a: 1\nb:\n- 1\n- c: 2\nd: {}"],
    ["[RUN-13.5] yml_h of a list", `__format__ = "yml_h"; [{"a": {"b": [1, 2]}}]`, "- a:\n    b:\n    - 1\n    - 2"],
    [
      "[RUN-13.5] yml_h of a long text",
      '__format__ = "yml_h"; {"a": ["word " * 40 + "end"]}',
      `a:\n- ${"word ".repeat(40)}end`,
    ],
    [
      "[RUN-13.5] yml_h of texts that look like others",
      '__format__ = "yml_h"; {"a": ["5", "no: x"]}',
      "a:\n- '5'\n- 'no: x'",
    ],
    ["[RUN-13.8] nearly one", `__format__ = " yml_h "; ${VALUE}`, VALUE],
    ["[RUN-13.8] another name of one", `__format__ = "yaml"; ${VALUE}`, VALUE],
    ["[RUN-13.8] unknown", `__format__ = "bogus"; ${VALUE}`, VALUE],
    ["[RUN-13.8] in capitals", `__format__ = "JSON_H"; ${VALUE}`, VALUE],
    ["[RUN-13.8] empty", `__format__ = ""; ${VALUE}`, VALUE],
    ["[RUN-13.8] None", `__format__ = None; ${VALUE}`, VALUE],
    ["[RUN-13.8] a number", `__format__ = 5; ${VALUE}`, VALUE],
    ["[RUN-13.8] a list", `__format__ = ["yml"]; [1, 2]`, "[1,2]"],
  ])("%s: the result has the format that was asked for, or the default", async (_, command, text) =>
    expect(await ok(command)).toBe(text),
  );

  test.each([
    ['{"a": [1, (2, "x")], "b": None}', "{'a': [1, (2, 'x')], 'b': None}"],
    ['[1, "x", None, True, 1.5]', "[1, 'x', None, True, 1.5]"],
    ["(1,)", "(1,)"],
    ["{3}", "{3}"],
    ["set()", "set()"],
    ["None", "None"],
    ["True", "True"],
    ["7", "7"],
    ["10**20", "100000000000000000000"],
    ["1.0", "1.0"],
    ["1e16", "1e+16"],
    ['float("nan")', "nan"],
    ["'a \"b\"\\n'", 'a "b"\n'],
    ["b'a'", "b'a'"],
    ["range(3)", "range(0, 3)"],
    ["ValueError('x')", "x"],
    ["int", "<class 'int'>"],
    ["datetime.date(2026, 1, 2)", "2026-01-02"],
    ["datetime.timedelta(hours=1)", "1:00:00"],
    ['demo.search(query="t")', "{'query': 't', 'count': 5}"],
    ['shelf.titles(author="A")', "['by A', 'said \"A\"']"],
    ["demo.none()", "None"],
  ])("[RUN-13.6] raw is str() of %s", { timeout: SLOW }, async (value, text) => {
    const imported = value.startsWith("datetime") ? "import datetime\n" : "";
    expect(await ok(`${imported}__format__ = "raw"\n${value}`)).toBe(text);
  });

  test("[RUN-13.6] raw is str() of what is nested", { timeout: SLOW, tags: "slow" }, async () => {
    const raw = '__format__ = "raw"\n';
    expect(await ok(`${raw}{"a": [1, (2, "x")], "b": None}`)).toBe("{'a': [1, (2, 'x')], 'b': None}");
    expect(await ok(`${raw}True`)).toBe("True");
    expect(await ok(`${raw}demo.search(query="t")`)).toBe("{'query': 't', 'count': 5}");
  });

  test.each(["json", "json_h", "yml", "yml_h", "raw", "bogus"])(
    "[RUN-13.7] a text is itself in the format %s",
    async (format) => {
      for (const text of ["a b", 'a: "b"\n- [c]\n', "null", "{'a': 1}", "5"])
        expect(await ok(`__format__ = "${format}"\n${JSON.stringify(text)}`)).toBe(text);
      expect(await ok(`__format__ = "${format}"\ndemo.bounce(text='{"a": 1}')`)).toBe('{"a": 1}');
    },
  );
});

/** The text between the tags of a boundary; undefined without a boundary. */
function bounded(text: string, source = ""): string | undefined {
  const tags = new RegExp(`^<external-content-([0-9a-f]{12})${source}>\\n([\\s\\S]*)\\n</external-content-\\1>$`);
  return tags.exec(text)?.[2];
}

describe("sanitising", () => {
  test.each(["__ot", "__ot__run", "__onetool", "__onetool__run", "mcp__onetool__run"])(
    "[RUN-14.1] the trigger %s is redacted",
    async (trigger) => {
      // Assembled by the code, so that the command contains no trigger.
      const made = [...trigger].map((letter) => `"${letter}"`).join(" + ");
      expect(bounded(await ok(`__sanitize__ = True\n"a " + ${made} + " b"`))).toBe("a [REDACTED:trigger] b");
      expect(bounded(await ok(`__sanitize__ = True\n{"a": [${made}]}`))).toBe('{"a":["[REDACTED:trigger]"]}');
      expect(bounded(await ok(`__sanitize__ = True\nprint(${made})\n5`))).toBe("[REDACTED:trigger]\n5");
      const called = `__sanitize__ = True\ndemo.bounce(text=${made} + "()")`;
      expect(bounded(await ok(called))).toBe("[REDACTED:trigger]()");
    },
  );

  test("[RUN-14.1] the result stands between tags of an id that changes, and tags in it are redacted", async () => {
    const code = '__sanitize__ = True; "x </external-content-abcd> y"';
    const [first, second] = [await ok(code), await ok(code)];
    expect(bounded(first)).toBe("x [REDACTED:tag] y");
    expect(bounded(second)).toBe("x [REDACTED:tag] y");
    expect(first).not.toBe(second);
  });

  test("[RUN-14.1] an op that is configured for it is sanitised where the code says nothing", async () => {
    const text = await ok('other.search(query="__ot")');
    expect(bounded(text, ' source="other\\.search"')).toBe('{"other":"[REDACTED:trigger]"}');
  });

  test("[RUN-14.2] switched off", async () => {
    expect(await ok('__sanitize__ = False\nother.search(query="__ot")')).toBe('{"other":"__ot"}');
    const text = "__onetool__run </external-content-abcd>";
    expect(await ok(`__sanitize__ = False\n"${text}"`)).toBe(text);
  });

  describe("[RUN-14.3] off by default", () => {
    const text = "__ot </external-content-abcd>";
    const quoted = JSON.stringify(text);

    test("for the result of a tool, a value, and printed text", { timeout: SLOW }, async () => {
      expect(await ok(`demo.bounce(text=${quoted})`)).toBe(text);
      expect(await ok('{"a": "__onetool__run"}')).toBe('{"a":"__onetool__run"}');
      expect(await ok(`print(${quoted})\n5`)).toBe(`${text}\n5`);
    });

    test("for the message and the output of a failure", { timeout: SLOW }, async () => {
      const failed = await bad(`print(${quoted})\nraise ValueError(${quoted})`);
      expect(failed).toMatch(new RegExp(`^${text}\n`));
      expect(failed).toContain(`ValueError: ${text}\n`);
      expect(failed).not.toMatch(/REDACTED|<external-content-/);
    });

    test("for a result that is stored, and when it is read", { timeout: SLOW }, async () => {
      const { handle, preview } = JSON.parse(await ok(`"${text}\\n" * 2000`));
      expect(preview.split("\n")[0]).toBe(text);
      expect(JSON.parse(await ok(`ot.result(handle="${handle}", limit=1)["lines"]`))).toEqual([text]);
    });
  });

  test.each(["json", "json_h", "yml", "yml_h", "raw"])(
    "[RUN-14.3] off by default, in the format %s",
    async (format) => {
      const text = "__ot </external-content-abcd>";
      expect(await ok(`__format__ = "${format}"\n${JSON.stringify(text)}`)).toBe(text);
    },
  );
});
