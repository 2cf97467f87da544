/** Code in another language, and modules that programs do not have: what to write instead, in one line. */

import { expect, test } from "vitest";
import { otherLanguage } from "../../../../../runtime/run/languages/python/notations.js";
import { DESK_DEMO, runDemo, SLOW } from "../../../../support/run/run-demo.js";

const { bad, notes, ok } = runDemo(DESK_DEMO);

const is = (name: string, write: string): string => `SyntaxError: this is ${name}; run takes Python. Write: ${write}`;

const QUERY = 'x = desk.list(); ot.query(ot.keep(x), "SELECT * FROM r")';

test.each([
  ["const x = await desk.list({limit: 5, state: 'todo'});", is("JavaScript", "x = desk.list(limit=5, state='todo')")],
  ["let x = 5\nx", is("JavaScript", "x = desk.list(...)")],
  ["desk.list().then(r => r.items)", is("JavaScript", "x = desk.list(...)")],
  ["a = 1\nif (a === 1) { a }", is("JavaScript", "x = desk.list(...)")],
  ["SELECT title FROM tasks", is("SQL", `${QUERY}\n`)],
  ["DROP TABLE tasks", is("SQL", QUERY)],
  ["EXPLAIN QUERY PLAN SELECT * FROM tasks", is("SQL", QUERY)],
  ["curl https://example.com", is("a shell command", "x = desk.list(...); there is no shell")],
  ["curl -s 'https://example.com' | jq .", is("a shell command", "x = desk.list(...); there is no shell")],
  ["WITH t AS (SELECT 1) SELECT * FROM t", is("SQL", QUERY)],
  ["WITH t AS (\n  SELECT 1\n)\nSELECT * FROM t", is("SQL", QUERY)],
  ["SELECT id,\n  title\nFROM tasks", is("SQL", QUERY)],
  [
    'await fetch("https://example.com/tasks")',
    "NameError: this is JavaScript; run takes Python. Write: x = desk.list(...); a program has no network",
  ],
  ["cd /tmp && ls", is("a shell command", "x = desk.list(...); there is no shell")],
  ["ls -la", "NameError: this is a shell command; run takes Python."],
  ['desk.list(limit=1, from="2026-12-01")', 'SyntaxError: from is a word of Python: write from_="…"\n'],
  ["a = 1\ndesk.list(\n  class = a,\n)", "SyntaxError: class is a word of Python: write class_=…\n"],
  ["desk.list(in=3)", "SyntaxError: in is a word of Python: write in_=…\n"],
  ['await desk.create({title: "a b"})', "NameError: name 'title' is not defined: write desk.create(title='a b')"],
  ["x = 1\ny = desk.list({ 'limit': x, offset: 3 })", "NameError: name 'offset' is not defined\n"],
  ["r = desk.list({limit: 5, offset: 3});", "name 'limit' is not defined: write r = desk.list(limit=5, offset=3)"],
  ["x = 5\ndesk.list({limit: x})", "NameError: name 'limit' is not defined\n"],
  ["x = []\nx.append({limit: 5})", "NameError: name 'limit' is not defined\n"],
  ["x = null", "name 'null' is not defined: Python writes None"],
  ["import requests", "Next: a program has no network: ops call servers"],
  ["import urllib.request", "Next: a program has no network: ops call servers"],
  ["import subprocess", "Next: a program starts no processes: ops do what it needs"],
  ["import threading\nthreading.Thread(target=print).start()", "Next: a program has no threads: await asyncio.gather("],
  ["import pathlib\npathlib.Path('a').read_text()", "Next: a program has no files: ops give the data"],
  ["open('a')", "PermissionError: [Errno 13] Permission denied: 'a'\n"],
  ["import os\nos.stat('/nowhere')", "FileNotFoundError: [Errno 2] No such file or directory: '/nowhere'\n"],
  ["open('a')", "Next: a program has no files: ops give the data"],
  ["from zoneinfo import ZoneInfo\nZoneInfo('Europe/Berlin')", "No time zone found with key Europe/Berlin\n"],
  [
    "from zoneinfo import ZoneInfo\nZoneInfo('Europe/Berlin')",
    "Next: no time zones have names here: datetime.timezone(",
  ],
  ["import pandas", "Next: lists and dicts hold the data, and ot.query(ot.keep(rows), sql) asks them"],
])(
  "code that does not run here gets an error that says what to write: %s",
  async (code, text) => expect(await bad(code)).toContain(text),
  SLOW,
);

test.each([
  ["select = 1\nselect", "1"],
  ["def fetch(url): return url\nfetch('https://example.com')", "https://example.com"],
  ["ls = [1]\nls", "[1]"],
  ["x = 'a => b && c'\nx", "a => b && c"],
])("Python stays Python: %s", async (code, text) => expect(await ok(code)).toBe(text), SLOW);

test.each(["x = 'const a => b' +", "rm = = 2", "echo = (1", "find x", "for i in x\n  i"])(
  "a fault of Python is called one: %s",
  async (code) => expect(await bad(code)).not.toContain("this is"),
  SLOW,
);

test(
  "what is advised for SQL runs as it is",
  async () => expect(await notes(QUERY)).toContain("answered 20 of 34"),
  SLOW,
);

const KENNEL = [
  ...["kennel.cancelBooking", "kennel.getAnimal", "kennel.listAnimals", "kennel.listPetOwners", "kennel.removeAnimal"],
  "ot.help",
];
const READS = new Set(["kennel.getAnimal", "kennel.listAnimals", "kennel.listPetOwners", "ot.help"]);
const isRead = (op: string): boolean => READS.has(op);

test.each<readonly [line: string, ops: readonly string[], call: string]>([
  ["SELECT * FROM animals", KENNEL, "kennel.listAnimals"],
  ["select name from pet_owners where id = 1", KENNEL, "kennel.listPetOwners"],
  ["DROP TABLE Owner", KENNEL, "kennel.listPetOwners"],
  ["SELECT * FROM bookings", KENNEL, "kennel.listAnimals"],
  ["let x = kennel.getAnimal(1).name", KENNEL, "kennel.getAnimal"],
  ["let x = kennel.removeAnimal(1).name", KENNEL, "kennel.removeAnimal"],
  ["let x = kennel.removeAnimals(1).name", KENNEL, "kennel.listAnimals"],
  ["ls", ["kennel.cancelBooking", "kennel.getAnimal"], "kennel.getAnimal"],
  ["ls", ["kennel.cancelBooking", "ot.help"], "ot.help"],
  ["ls", ["kennel.cancelBooking"], "pack.op"],
])("the example of %s, of %j, is %s", (line, ops, call) =>
  expect(otherLanguage([line], { ops, isRead })).toContain(`Write: x = ${call}(`),
);

test.each([
  ["json.loads('[1]')", "import json"],
  ["re.findall('a', 'aa')", "import re"],
  ["Counter(['a'])", "from collections import Counter"],
  ["datetime.now().year > 2000", "from datetime import datetime"],
  ["datetime.timedelta(days=1).days", "import datetime"],
  ["str(Path('a'))", "from pathlib import Path"],
  ["quote('a b')", "from urllib.parse import quote"],
  ["x = [1]\nmean(x)", "from statistics import mean"],
])("the missing import is named, and gives %j its meaning", { timeout: SLOW }, async (code, statement) => {
  const text = await bad(code);
  expect(text).toMatch(/NameError: name '\w+' is not defined/);
  expect(text).toContain(`\nNext: write "${statement}" above it`);
  expect(text).not.toContain("Packs: ");
  await ok(`${statement}\n${code}`);
});
