/** The layers: every import between folders points downwards, including type imports. */

import { describe, expect, test } from "vitest";
import { FEATURES } from "../features/list.js";
import { expectPart } from "./support/doc-pages.js";
import { circleIn, filesOf, type Import, imports } from "./support/imports.js";

/** Rooms of each level, from the lowest: a file may import files of its own room and of levels below its own. */
const LEVELS: readonly (readonly string[])[] = [
  ["runtime/contract"],
  ["runtime/codegen.ts", "runtime/feature.ts", "runtime/metrics"],
  ["runtime/config", "generator/core", "definitions/onto"],
  ["runtime/state", "runtime/catalog", "runtime/http-client", "generator/config"],
  ["runtime/access", "generator/source", "generator/pass"],
  ["runtime/call", "runtime/connections", "generator/emit"],
  ["runtime/dispatch.ts", "runtime/upstream", "generator/plugin"],
  ["runtime/run", "generator/module", "generator/pipeline.ts"],
  ["runtime/packs", "generator/cli"],
  ["runtime/gateway", "definitions/packs"],
  ["runtime/serve"],
  ["runtime/cli"],
  ["core"],
  ["features/*"],
  ["features/list.ts"],
  ["generator/entry"],
];

const LEVEL_OF: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap((rooms, level) => rooms.map((room) => [room, level] as const)),
);

/** The layer unit of a file: its folder below one of these, or the file itself outside a folder. */
const roomOf = (file: string): string => (file.startsWith("core/") ? "core" : file.split("/").slice(0, 2).join("/"));

/** The room as the levels name it: all features stand on one level, so that none imports another. */
const levelRoomOf = (room: string): string => room.replace(/^features\/[^/.]+$/, "features/*");

const FOLDERS = ["core", "definitions", "features", "generator", "runtime"];
const files = FOLDERS.flatMap(filesOf);
const known = new Set(files);
const targetOf = ({ to }: Import): string | undefined =>
  to === "toolwright/codegen"
    ? "runtime/codegen.ts"
    : [to, `${to.replace(/\.ts$/, "")}.tsx`].find((one) => known.has(one));
const local = imports.flatMap((one) => {
  if (!known.has(one.from)) return [];
  const to = targetOf(one);
  return to === undefined || to === one.from ? [] : [{ from: one.from, to }];
});

describe("layers", () => {
  test("every room has a level, and every level a room", () => {
    const rooms = [...new Set(files.map((file) => levelRoomOf(roomOf(file))))].sort();
    console.log(`${rooms.length} rooms on ${LEVELS.length} levels`);
    const isThere = (room: string): boolean => room !== "features/*" || FEATURES.length > 0;
    expect(rooms).toEqual([...LEVEL_OF.keys()].filter(isThere).sort());
    expect(local.length).toBeGreaterThan(files.length);
  });

  test("no import points upwards, or to another room of its own level", () => {
    const level = (file: string): number => LEVEL_OF.get(levelRoomOf(roomOf(file))) ?? Number.NaN;
    const upwards = local.filter(({ from, to }) => roomOf(from) !== roomOf(to) && !(level(to) < level(from)));
    expect(upwards.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("only the list imports features, and only entries import the list", () => {
    const into = local.filter(({ from, to }) => to.startsWith("features/") && roomOf(from) !== roomOf(to));
    expect(into.length).toBeGreaterThan(0);
    const strays = into.filter(({ from, to }) =>
      to === "features/list.ts"
        ? !from.startsWith("generator/entry/")
        : from !== "features/list.ts" || !to.endsWith("/feature.ts"),
    );
    expect(strays.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("no files import each other in a circle, types included", () => {
    const edges = new Map(files.map((file) => [file, local.filter(({ from }) => from === file).map(({ to }) => to)]));
    expect(circleIn(edges)).toEqual([]);
  });

  test("the example imports what a project of a user can import: the seam, packages, and its own files", () => {
    const own = imports.filter(({ from }) => from.startsWith("definitions/onto/"));
    const inside = own.filter(({ to }) => /^(?:definitions|generator|runtime|test)\//.test(to));
    expect(inside.filter(({ to }) => !to.startsWith("definitions/onto/"))).toEqual([]);
    expect(own.filter(({ to }) => to === "toolwright/codegen").length).toBeGreaterThan(10);
  });

  test("no file stands loose in the runtime but the three that a reader opens first", () => {
    const loose = files.filter((one) => /^runtime\/[^/]+$/.test(one));
    expect(loose).toEqual(["runtime/codegen.ts", "runtime/dispatch.ts", "runtime/feature.ts"]);
  });

  test("the page on the architecture shows the levels; UPDATE=1 rewrites them", () => {
    const rows = LEVELS.map((rooms, level) => `| ${level + 1} | ${rooms.map((one) => `\`${one}\``).join(", ")} |`);
    expectPart("docs/architecture.md", "levels", `| level | rooms |\n|---|---|\n${rows.reverse().join("\n")}`);
  });

  test("a circle is found where there is one", () => {
    const edges = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["b"]],
    ]);
    expect(circleIn(edges)).toEqual(["b", "c", "b"]);
  });
});
