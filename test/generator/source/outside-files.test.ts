/** References of an API description to files: those of the project are read, no others, on a real disk. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { eachCase, slowRows } from "../../support/each-case.js";
import type { Json } from "../../support/project.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const SECRET = JSON.stringify({ type: "object", description: "the-secret", properties: {} });
const cleaning: (() => void)[] = [];
let base = "";
let root = "";

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeAll(() => {
  base = temporaryFolder((clean) => cleaning.push(clean));
  root = join(base, "project");
  for (const file of ["outside.json", "project-2/outside.json", "shared/common.json"]) write(join(base, file), SECRET);
  for (const file of ["inside.json", "definitions/beside.json", "definitions/parts/part.json", "a b.json"])
    write(join(root, file), SECRET);
  for (const file of [".onetool/secrets.json", ".mcp.json", "definitions/.hidden/x.json"])
    write(join(root, file), SECRET);
  symlinkSync(join(base, "outside.json"), join(root, "definitions/link.json"));
  symlinkSync(join(base, "shared"), join(root, "definitions/linked"));
  symlinkSync(join(root, "inside.json"), join(root, "definitions/inner.json"));
  return () => {
    for (const clean of cleaning) clean();
  };
});

/** What `generate` says of a description with a reference, and whether the registry has the text of its target. */
async function generated($ref: string, source = "api.json", at = "definitions/api.json", form = "openapi") {
  const config = `use: []\nsources: [{ openapi: ${source}, pack: p, server: 'https://a.example' }]\n`;
  write(join(root, "definitions/toolwright.yaml"), config);
  const paths =
    form === "openapi"
      ? { "/a": { get: { operationId: "a", parameters: [{ in: "query", name: "a", schema: { $ref } }] } } }
      : { "/a": { post: { operationId: "a", parameters: [{ in: "body", name: "a", schema: { $ref } }] } } };
  const version = form === "openapi" ? { openapi: "3.1.0" } : { swagger: "2.0", info: { title: "A", version: "1" } };
  write(join(root, at), JSON.stringify({ ...version, paths }));
  const { code, stdout } = await toolwright(["generate", "--json", "--root", root]);
  const { diagnostics = [] }: Json = JSON.parse(stdout);
  const about = diagnostics.filter((one: Json) => one.code === "openapi-reference");
  return { code, about };
}

const url = (file: string) => pathToFileURL(join(base, file)).href;

describe("references to files", { timeout: 120_000 }, () => {
  test.each<readonly [string, () => string]>([
    ["beside", () => "beside.json"],
    ["below", () => "./parts/part.json"],
    ["above, in the project", () => "../inside.json"],
    ["encoded", () => "../a%20b.json"],
    ["with a way back", () => "parts/../../definitions/beside.json"],
    ["a link into the project", () => "inner.json"],
  ])("of the project are read: %s", async (_, ref) => {
    expect(await generated(ref())).toEqual({ code: 0, about: [] });
  });

  eachCase<readonly [string, () => string]>(
    [
      ["above", () => "../../outside.json"],
      ["a folder whose name begins alike", () => "../../project-2/outside.json"],
      ["encoded", () => "%2e%2e/%2e%2e/outside.json"],
      ["with an encoded slash", () => "..%2f..%2foutside.json"],
      ["absolute", () => join(base, "outside.json")],
      ["encoded absolute", () => encodeURIComponent(join(base, "outside.json"))],
      ["a file URL", () => url("outside.json")],
      ["a file URL in capitals", () => url("outside.json").replace("file:", "FILE:")],
      ["a file URL without slashes", () => `file:${join(base, "outside.json")}`],
      ["a link", () => "link.json"],
      ["below a link", () => "linked/common.json"],
      ["another machine", () => "//host/share/outside.json"],
      ["another machine of Windows", () => "\\\\host\\share\\outside.json"],
      ["a drive", () => "C:\\outside.json"],
      ["back slashes", () => "..\\..\\outside.json"],
      ["a way over itself", () => "parts/../../../outside.json"],
      ["the state folder", () => "../.onetool/secrets.json"],
      ["a hidden file", () => "../.mcp.json"],
      ["a hidden folder", () => ".hidden/x.json"],
      ["the end of a text of C", () => "../../outside.json%00.json"],
      ["with a pointer", () => "../../outside.json#/properties"],
    ],
    "above",
    "encoded",
    "absolute",
    "a file URL",
    "a link",
    ...slowRows("below a link", "another machine", "a hidden file"),
  )("out of it are refused at their place: %s", {}, async (_, ref) => {
    for (const form of ["openapi", "swagger"]) {
      const { code, about } = await generated(ref(), "api.json", "definitions/api.json", form);
      expect(code).toBe(2);
      expect(about.length).toBeGreaterThan(0);
      for (const one of about) {
        expect(one).toMatchObject({ file: "definitions/api.json", line: 1, severity: "error" });
        expect(one.message).toContain("leads out of this project");
      }
    }
  });

  test("a description that the configuration takes from elsewhere may refer to the files beside it only", async () => {
    const at = ["../../shared/api.json", "../shared/api.json"] as const;
    expect(await generated("common.json", ...at)).toEqual({ code: 0, about: [] });
    expect((await generated("../outside.json", ...at)).about).toHaveLength(1);
  });
});
