/** Policy extraction: its eight rules. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractPolicy, sourceHash } from "../../../generator/pass/policy.js";
import { buildProject, jsonProject, onlyTool, tool } from "../../support/generator-host.js";
import { runs } from "../../support/random.js";

const lists = (text: string): object => {
  const { policy, notes } = extractPolicy(text);
  return policy ? { do: policy.do, dont: policy.dont, edge: policy.edge_cases } : { notes };
};
const DONT = "Never guess.";

describe("1. code and JSON are not read", () => {
  test.each([
    ["a fence", `${DONT}\n\`\`\`\nNever read this.\n\`\`\`\n`],
    ["braces over several lines", `${DONT}\n{\n"a": "x",\nNever read this.\n}`],
    ["a section titled structure", `${DONT}\nStructure:\n- never read this`],
    ["a section titled returns, and the paragraphs below it", `${DONT}\nReturns:\n- a list\n\nNever read this.`],
    ["a section titled properties", `${DONT}\n## Properties of a task\n- never read this`],
  ])("nothing is read in %s", (_what, text) =>
    expect(lists(text)).toEqual({ do: [], dont: ["Never guess"], edge: [] }),
  );

  test("what follows a fence or a brace is read again", () => {
    expect(lists("```\ncode\n```\nNever a.\n{ x }\nNever b.")).toEqual({
      do: [],
      dont: ["Never a", "Never b"],
      edge: [],
    });
  });
});

describe("2. headings", () => {
  test.each([
    ["Do not use this for:", "dont"],
    ["DON'T:", "dont"],
    ["Never create tasks for:", "dont"],
    ["Create a task when:", "do"],
    ["Use it for:", "do"],
    ["### Use this tool", "do"],
    ["**To clarify:**", "edge"],
  ])("%s makes its items %s", (heading, list) => {
    const found = lists(`${heading}\n- One thing\n- Two things\n\n${DONT}`) as Record<string, readonly string[]>;
    expect(found[list]).toEqual(expect.arrayContaining(["One thing", "Two things"]));
  });

  test("a contrast is no prohibition, and a long line is no heading", () => {
    expect(lists("Do vs do not:\n- One thing\n- Two things")).toEqual({ notes: [] });
    expect(lists(`Use ${"x".repeat(110)}:\n- One thing\n- Two things`)).toEqual({ notes: [] });
  });

  test("a paragraph ends a section", () => {
    expect(lists("Do not:\n- Guess\n\nSome words.\n\n- One thing")).toEqual({ do: [], dont: ["Guess"], edge: [] });
  });
});

describe("3. items", () => {
  test("dashes, stars, dots and numbers are items", () => {
    expect(lists("Do not:\n- a1\n* b1\n• c1\n1. d1\n2) e1")).toEqual({
      do: [],
      dont: ["a1", "b1", "c1", "d1", "e1"],
      edge: [],
    });
  });

  test("an item that forbids is a dont under any heading", () => {
    expect(lists("Use when:\n- A person must act\n- Avoid duplicates")).toEqual({
      do: ["A person must act"],
      dont: ["Avoid duplicates"],
      edge: [],
    });
  });

  test("in neutral sections conditions and questions are edge cases, the rest is no rule", () => {
    const text = `Details:\n- If the id is unknown, search\n- Only if asked\n- Unless it is archived\n- Ask for the date\n- Titles are short\n\n${DONT}`;
    expect(lists(text)).toEqual({
      do: [],
      dont: ["Never guess"],
      edge: ["If the id is unknown, search", "Only if asked", "Unless it is archived", "Ask for the date"],
    });
  });
});

test("4. examples count where an arrow says what follows", () => {
  expect(lists('Examples:\n- "Call Anna" -> create it\n- "Maybe" → do not create\n- x => never\n- "Nothing"')).toEqual({
    do: ['"Call Anna" -> create it'],
    dont: ['"Maybe" → do not create', "x => never"],
    edge: [],
  });
});

test("5. sentences outside lists, each part of a mixed one by itself; filters are none", () => {
  const text =
    "Creates a task. Use when asked; if unclear, ask. Always set a title! Must have a project. Prefer short ones. Never guess. Only the fields that are provided change. Do not send fields that are not provided.";
  expect(lists(text)).toEqual({
    do: ["Use when asked", "Always set a title!", "Must have a project", "Prefer short ones"],
    dont: ["Never guess", "Do not send fields that are not provided"],
    edge: ["if unclear, ask"],
  });
  expect(lists("Never guess. If only provided fields change, wait.")).toEqual({
    do: [],
    dont: ["Never guess"],
    edge: [],
  });
});

describe("6. items are compressed", () => {
  test("long asides, emphasis and the last full stop go; short asides stay", () => {
    const aside = `(${"so long ".repeat(6)})`;
    expect(lists(`Do not:\n- **Guess** ids ${aside} (ever).`)).toEqual({
      do: [],
      dont: ["Guess ids (ever)"],
      edge: [],
    });
  });

  test("ninety characters, cut at a word; five items a list; none twice, letter case apart", () => {
    const { policy } = extractPolicy(`Never:\n- ${"word ".repeat(30)}\n- a1\n- A1\n- b1\n- c1\n- d1\n- e1`);
    expect(policy?.dont).toEqual([`${"word ".repeat(17).trimEnd()}…`, "a1", "b1", "c1", "d1"]);
  });

  test("every item knows the lines it came from", () => {
    const { policy } = extractPolicy("First.\n\nDo not:\n- Guess\n\nIf it\nis unclear, ask.");
    expect(policy?.source).toEqual([
      { rule: "dont[0]", line_start: 4, line_end: 4 },
      { rule: "edge_cases[0]", line_start: 6, line_end: 7 },
    ]);
  });
});

describe("7. the threshold", () => {
  test.each([
    ["one dont", "Never guess.", true],
    ["two dos of a headed list", "Use when:\n- a1\n- b1", true],
    ["one do of a headed list", "Use when:\n- a1", false],
    ["two dos in sentences", "Always a. Must b.", false],
    ["edge cases only", "If a, b. Unless c, d.", false],
  ])("decides whether there is a policy or a note: %s", (_what, text, isPolicy) => {
    const { policy, notes } = extractPolicy(text);
    expect(policy !== undefined).toBe(isPolicy);
    expect(notes.length > 0).toBe(!isPolicy);
  });

  test("below it, rules are notes of the op", async () => {
    const one = await onlyTool(jsonProject([tool("get_a", {}, {}, "Get a. Always pass a range.")]));
    expect([one.policy, one.notes]).toEqual([undefined, ["Always pass a range"]]);
  });
});

describe("8. pins win", () => {
  const description = "Add a. Never guess. Use when asked.";
  const pinned = (hash: string) =>
    jsonProject(
      [tool("add_a", {}, {}, description)],
      `policies:\n  p.add_a: { dont: [Guess], source_hash: "${hash}" }\n`,
    );

  test("a pin replaces the policy, has no source lines, and says nothing while the description is the same", async () => {
    const { registry, diagnostics, files } = await buildProject(pinned(sourceHash(description)));
    expect(registry?.tools[0]?.policy).toEqual({ do: [], dont: ["Guess"], edge_cases: [], source: [] });
    expect(diagnostics).toEqual([]);
    const page = files.find((one) => one.path === "help/p.add_a.md")?.text;
    expect(page).toContain(
      "## Extracted from the description, overridden by a pin\n\n- do: Use when asked\n- do not: Never guess\n",
    );
  });

  test("another description is a warning that gives the hash to paste", async () => {
    const { diagnostics } = await buildProject(pinned("000000000000"));
    expect(diagnostics.map((one) => [one.code, one.fix.includes(sourceHash(description))])).toEqual([
      ["policy-extraction-changed", true],
    ]);
  });
});

/** Half of a pair of surrogates. */
const TORN = /\p{Cs}/u;

function expectCompressed(item: string, description: string): void {
  expect(item.length).toBeLessThanOrEqual(90);
  expect(item).toMatch(/^\S.*$/u);
  if (!TORN.test(description)) expect(item).not.toMatch(TORN);
}

test("any text: bounded, deterministic, and every span inside the text", { tags: "slow" }, () => {
  const parts = [
    "Do not:",
    "Use when:",
    "Examples:",
    "Returns:",
    "- ",
    "* ",
    "1. ",
    "never ",
    "if ",
    "always ",
    "word ",
    "(",
    ")",
    "{",
    "}",
    "```",
    "\n",
    "\n\n",
    " -> ",
    ". ",
    "; ",
    "**",
    "\u2028",
    "😀".repeat(50),
  ];
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(text, (description) => {
      const { policy, notes } = extractPolicy(description);
      const lists = policy ? [policy.do, policy.dont, policy.edge_cases] : [];
      for (const list of lists) expect(list.length).toBeLessThanOrEqual(5);
      for (const item of [...lists.flat(), ...notes]) expectCompressed(item, description);
      const lines = description.split(/\r\n|[\n\r\u2028\u2029]/).length;
      for (const { line_start, line_end } of policy?.source ?? []) {
        expect(line_start).toBeGreaterThan(0);
        expect(line_end).toBeGreaterThanOrEqual(line_start);
        expect(line_end).toBeLessThanOrEqual(lines);
      }
      expect(extractPolicy(description)).toEqual({ ...(policy ? { policy } : {}), notes });
    }),
    runs(5000),
  );
});
