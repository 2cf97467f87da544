/** Failures about a value that a call answered name the call and its keys. */

import { describe, expect, test } from "vitest";
import { DESK_DEMO, runDemo, SLOW } from "../../../../support/run/run-demo.js";

const { bad } = runDemo(DESK_DEMO);

const PAGE = "desk.list() answered the keys items, pagination";

test.each([
  ['desk.list()["tasks"]', `KeyError: 'tasks'. ${PAGE}. Write desk.list()["items"]`],
  ['r = desk.list()\nr["item"]', `KeyError: 'item'. ${PAGE}. Write r["items"]`],
  ["r = await desk.list()\nr[0]", `KeyError: 0. ${PAGE}. Write r["items"][0]`],
  ['r = desk.list()\nr[-1]["title"]', `KeyError: -1. ${PAGE}. Write r["items"][-1]`],
  ["r = desk.list()\ni = 3\nr[i]", `KeyError: 3. ${PAGE}. Write r["items"]`],
  [`desk.list(limit=3, offset=${"0 + ".repeat(20)}0)["tasks"]`, `KeyError: 'tasks'. ${PAGE}. Write ["items"]`],
  [
    'for t in desk.list():\n  t["title"]',
    `${PAGE}. A loop over it gives these keys: the items are in desk.list()["items"]`,
  ],
  ['r = desk.list()\n[t["title"] for t in r]', "A loop over it gives these keys"],
  ['r = desk.list()\nfor t in r["items"]: t["name"]', 'desk.list()["items"][0] has the keys id, title'],
  [
    'r = desk.list()["items"]\nr[50]',
    'IndexError: list index out of range. desk.list()["items"] is a list of 20 items',
  ],
  ['r = desk.list()["items"]\nr["title"]', 'desk.list()["items"] is a list of 20 items'],
  ["r = desk.list()\nr.tasks", `${PAGE}. Write r["items"]`],
  ["r = desk.list()\nfor t in r.items: pass", `object is not iterable. ${PAGE}. Write r["items"]`],
  ["r = desk.list()\n[t for t in r.items if t]", `object is not iterable. ${PAGE}. Write r["items"]`],
  ["len(desk.list().items)", `has no len(). ${PAGE}. Write desk.list()["items"]`],
  ['r = desk.list()\n"x" in r.items', `. ${PAGE}. Write r["items"]`],
  ["r = desk.list()\nr.items.title", `. ${PAGE}. Write r["items"]`],
  ["import json\nr = desk.list()\njson.dumps(r.items)", `. ${PAGE}. Write r["items"]`],
  ['r = desk.names()\nr["items"]', "desk.names() answered a list of 30 items"],
])(
  "the error of a wrong use says what the op answered, and what to write: %s",
  async (code, text) => expect((await bad(code)).split("\n")[0]).toContain(text),
  SLOW,
);

const BOOK = "desk.book() answered the keys id, title, pages, tags";

describe("a key that is near to none is not corrected", () => {
  test.each([
    ['b = desk.book()\nb["name"]', `KeyError: 'name'. ${BOOK}\n`],
    ['b = desk.book()\nb["nope"]', `KeyError: 'nope'. ${BOOK}\n`],
    ['b = desk.book()\nb["tabs"]', `KeyError: 'tabs'. ${BOOK}. Write b["tags"]\n`],
    ['b = desk.book()\nb["titel"]', `KeyError: 'titel'. ${BOOK}. Write b["title"]\n`],
    ['b = desk.book()\nb["Page"]', `KeyError: 'Page'. ${BOOK}. Write b["pages"]\n`],
    ['b = desk.book()\nb["items"]', `KeyError: 'items'. ${BOOK}\n`],
    ["b = desk.book()\nb.authors", `${BOOK}\n`],
    ['desk.list()["nope"]', `KeyError: 'nope'. ${PAGE}\n`],
    ['desk.list()["results"]', `KeyError: 'results'. ${PAGE}. Write desk.list()["items"]\n`],
  ])(
    "the error names the keys, and only one that is near: %s",
    async (code, text) => expect(await bad(code)).toContain(text),
    SLOW,
  );
});

test(
  "where a service failed, nothing is to be corrected",
  async () => {
    const text = await bad("desk.away()");
    expect(text).toMatch(
      /^Error at line 1: RuntimeError: desk\.away failed: desk\.example cannot be reached \(ENOTFOUND\)\.$/m,
    );
    expect(text).toMatch(/\nNext: send the code again later; nothing in it is to be corrected\.$/);
  },
  SLOW,
);

test(
  "the values that a handler allows for a part of an argument are listed",
  async () =>
    expect(await bad('desk.shelf(place={"room": "cellar"})')).toContain(
      "place.room has no known name (cellar) (expected: hall|attic). Signature: ",
    ),
  SLOW,
);

describe("what is not clear is not said", () => {
  test.each([
    ['d = {}\ndesk.list()\nd["tasks"]'],
    ['desk.list()\n{}["items"]'],
    ['r = desk.list()\nr = {"a": 1}\nr["tasks"]'],
    ['raise KeyError("tasks")'],
    ["r = desk.list()\nfor t in r.values: pass"],
    ['r = desk.list()\nr.items()\nraise TypeError("builtin_function_or_method")'],
  ])(
    "the error names no answer: %s",
    async (code) => expect(await bad(code)).not.toContain("desk.list() answered"),
    SLOW,
  );

  test(
    "of foreign text only keys of a type are named",
    async () => {
      const untyped = await bad('desk.mail()["subject"]');
      expect(untyped).toContain("KeyError: 'subject'\n");
      expect(untyped).not.toContain("ignore_all_rules");
      const typed = await bad('desk.letters()["subject"]');
      expect(typed).toContain("KeyError: 'subject'. desk.letters() answered the keys from\n");
      expect(typed).not.toContain("ignore_all_rules");
    },
    SLOW,
  );
});

test(
  "the signature in an error about arguments has the bounds of numbers",
  async () => {
    const [first] = (await bad("desk.list(limits=100)")).split("\n");
    expect(first).toMatch(/\. Signature: desk\.list\(.*limit: float = 20, .*\) {2}# limit <=50$/);
  },
  SLOW,
);
