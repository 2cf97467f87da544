/** Lines for stderr, which are written a little later: none is lost, and their order stays. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { batchedWriter, bufferedLogger, type WriteLine } from "../../../runtime/config/buffered-log.js";

/** A log that keeps what it writes. */
function log(level = "info") {
  const told: string[] = [];
  const write: WriteLine = (_, message) => void told.push(message);
  const made = bufferedLogger(
    write,
    (work) => work(),
    (one) => level === "debug" || one !== "debug",
  );
  return { told, made };
}

describe("lines", () => {
  test("come together, with the time at which they were told", async () => {
    const times: unknown[] = [];
    const made = bufferedLogger(
      (...[, , , time]) => void times.push(time),
      (work) => work(),
      () => true,
    );
    const now = Date.now();
    made.info("a");
    made.debug("b", { n: 1 });
    expect(times).toEqual([]);
    await vi.waitFor(() => expect(times).toHaveLength(2));
    for (const time of times) expect(Math.abs((time as number) - now)).toBeLessThan(5000);
  });

  test("come at once before one that warns, with a field that may change, and where many wait", () => {
    const { told, made } = log();
    made.info("a");
    made.warn("b");
    expect(told).toEqual(["a", "b"]);
    made.info("c");
    made.info("d", { list: ["may change"] });
    expect(told).toEqual(["a", "b", "c", "d"]);
    for (let i = 0; i < 1000; i++) made.info(String(i));
    expect(told.length).toBeGreaterThanOrEqual(1000);
    made.error("e");
    expect(told.slice(4)).toEqual([...Array.from({ length: 1000 }, (_, i) => String(i)), "e"]);
  });

  test("of another level are left out", () => {
    const { told, made } = log();
    made.debug("not this");
    made.warn("this");
    expect(told).toEqual(["this"]);
  });
});

test("what is collected is written in pieces that a pipe keeps together, and a longer line by itself", () => {
  const written: string[] = [];
  const { write, batch } = batchedWriter({ write: (text) => void written.push(text) });
  write("alone\n");
  batch(() => {
    for (let i = 0; i < 100; i++) write(`${"é".repeat(50)}${i}\n`);
    write(`${"x".repeat(10_000)}\n`);
  });
  expect(written[0]).toBe("alone\n");
  expect(written.join("").split("\n")).toHaveLength(103);
  for (const one of written.filter((text) => !text.includes("xxx"))) {
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(4096);
    expect(one.endsWith("\n")).toBe(true);
  }
});

test.each([
  ["at the end", ""],
  ["by process.exit", "process.exit(0);"],
])("a process that exits %s has written all of its lines, in order", async (_, end) => {
  const code = `
    import { openLog } from "./runtime/config/log.js";
    const log = await openLog({ level: "info" }, ".");
    for (let i = 0; i < 500; i++) log.info("line", { i });
    ${end}`;
  const flags = ["--import", "tsx", "-C", "toolwright-source", "--input-type=module", "-e", code];
  const { stderr } = await promisify(execFile)(process.execPath, flags);
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly i: number });
  expect(lines.map(({ i }) => i)).toEqual(Array.from({ length: 500 }, (_, i) => i));
});
