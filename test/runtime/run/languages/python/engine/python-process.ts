/** One Python process for tests, driven frame by frame. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FrameKind, type RunProcess, startProcess } from "../../../../../../runtime/run/engine/run-process.js";
import {
  type MemorySnapshot,
  type Programs,
  pythonSetup,
} from "../../../../../../runtime/run/languages/python/engine/cpython/snapshot.js";
import { LIMITS } from "../../../../../support/run/python.js";

/** A frame that was read: its message, and who sent it. */
export interface Frame extends Readonly<Record<string, unknown>> {
  readonly kind: FrameKind | "exit";
}

/** A process and what it says. */
export interface DrivenPython {
  readonly child: RunProcess;
  /** The next frame; of kind `exit` once it has ended. */
  next(): Promise<Frame>;
  /** All frames of a program, which gets `2` from each call. */
  run(code: string, more?: object): Promise<readonly Frame[]>;
  /** Asks it to put everything back; what it says then. */
  reset(): Promise<Frame>;
  end(): Promise<void>;
}

/** The last message of a run follows its CPU time. */
const read = (body: Buffer, kind: FrameKind): Frame => ({
  ...JSON.parse(body.subarray(kind === "d" ? body.indexOf("\n") : 0).toString("utf8")),
  kind,
});

/**
 * Starts a process.
 *
 * @example
 * const python = drivePython(programs, snapshot);
 * await python.next(); // ready
 * const frames = await python.run("__ret(1 + 1)");
 */
export function drivePython(programs: Programs, snapshot: MemorySnapshot): DrivenPython {
  const child = startProcess(pythonSetup(programs, snapshot));
  const got: Frame[] = [];
  let wake = (): void => undefined;
  const add = (frame: Frame): void => {
    got.push(frame);
    wake();
  };
  child.listen({ frame: (body, kind) => add(read(body, kind)), exit: () => add({ kind: "exit" }) });
  const next = async (): Promise<Frame> => {
    while (got.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    const [frame] = got as [Frame];
    if (frame.kind !== "exit") got.shift();
    return frame;
  };
  return {
    child,
    next,
    async run(code, more = {}) {
      const packs = [["demo", [["one", null]]]];
      const given = { now: Date.UTC(2026, 0, 2), t: "run", seed: "ab".repeat(32), code };
      child.send({ ...given, packs, projects: [], limits: LIMITS, ...more });
      const sent: Frame[] = [];
      for (;;) {
        const frame = await next();
        sent.push(frame);
        if (frame["t"] === "call") child.send({ now: Date.UTC(2026, 0, 3), id: frame["id"], v: 2 });
        if (frame["t"] === "timer") child.send({ now: Date.UTC(2026, 0, 3), id: frame["id"], tick: true });
        if (frame.kind !== "g" || frame["t"] === "dead") return sent;
      }
    },
    reset() {
      child.send({ t: "reset" });
      return next();
    },
    async end() {
      child.kill();
      await child.ended;
    },
  };
}

/** The Python processes of this process that use a cache folder, by id: other files' tests run beside these. */
export function pythonPids(folder: string): readonly number[] {
  const listing = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return listing
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === process.pid && args.some((one) => one.includes(folder)))
    .map(([pid]) => Number(pid));
}

/**
 * A child program with changes.
 *
 * @param changes - pairs of a text that is in the program once, and the text in its place
 * @throws Error if a text is not in it once
 */
export function changedChild(
  programs: Programs,
  folder: string,
  changes: readonly (readonly [string, string])[],
): Programs {
  let source = readFileSync(programs.child, "utf8");
  for (const [from, to] of changes) {
    const parts = source.split(from);
    if (parts.length !== 2) throw new Error(`the child program has ${parts.length - 1} times: ${from}`);
    source = parts.join(to);
  }
  const child = join(folder, "changed.mjs");
  writeFileSync(child, source);
  return { ...programs, child };
}
