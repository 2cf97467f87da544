/** Code in another language, and modules that programs do not have: what to write instead, in one line. */

import { expect, test } from "vitest";
import { DESK_DEMO, runDemo, SLOW } from "../../support/run-demo.js";

const { bad, ok } = runDemo(DESK_DEMO);

const is = (name: string, write: string): string => `SyntaxError: this is ${name}; run takes Python. Write: ${write}`;

test.each([
  ["const x = await desk.list({limit: 5, state: 'todo'});", is("JavaScript", "x = desk.list(limit=5, state='todo')")],
  ["let x = 5\nx", is("JavaScript", "x = desk.list(...)")],
  ["desk.list().then(r => r.items)", is("JavaScript", "x = desk.list(...)")],
  ["a = 1\nif (a === 1) { a }", is("JavaScript", "x = desk.list(...)")],
  ["SELECT title FROM tasks", is("SQL", 'x = desk.list(...); ot.query(handle, "SELECT ...") asks a stored result')],
  ["curl https://example.com", is("a shell command", "x = desk.list(...); there is no shell")],
  ["cd /tmp && ls", is("a shell command", "x = desk.list(...); there is no shell")],
  ["ls -la", "NameError: this is a shell command; run takes Python."],
  ["x = null", "name 'null' is not defined: Python writes None"],
  ["import requests", "Next: a program has no network: ops call servers"],
  ["import urllib.request", "Next: a program has no network: ops call servers"],
  ["import subprocess", "Next: a program starts no processes: ops do what it needs"],
  ["import threading\nthreading.Thread(target=print).start()", "Next: a program has no threads: await asyncio.gather("],
  ["import pathlib\npathlib.Path('a').read_text()", "Next: a program has no files: ops give the data"],
  ["open('a')", "Next: a program has no files: ops give the data"],
  ["from zoneinfo import ZoneInfo\nZoneInfo('Europe/Berlin')", "No time zone found with key Europe/Berlin\n"],
  [
    "from zoneinfo import ZoneInfo\nZoneInfo('Europe/Berlin')",
    "Next: no time zones have names here: datetime.timezone(",
  ],
  ["import pandas", "Next: lists and dicts hold the data"],
])("%s", async (code, text) => expect(await bad(code)).toContain(text), SLOW);

test.each([
  ["select = 1\nselect", "1"],
  ["ls = [1]\nls", "[1]"],
  ["x = 'a => b && c'\nx", "a => b && c"],
])("Python stays Python: %s", async (code, text) => expect(await ok(code)).toBe(text), SLOW);

test.each(["x = 'const a => b' +", "rm = = 2", "echo = (1", "find x", "for i in x\n  i"])(
  "a fault of Python is called one: %s",
  async (code) => expect(await bad(code)).not.toContain("this is"),
  SLOW,
);
