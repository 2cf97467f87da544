/** A required text of a shipped pack for which a blank makes no sense is refused as blank, before its handler is called. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Json, serve, temporaryFolder, toolwright } from "../../support/project.js";

const SLOW = 300_000;

test("each required text of each op", { timeout: SLOW }, async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"), { recursive: true });
  const configuration = "use: [brave, llm, oubliette, ot, proj, web]\nsources: []\naccess: { allow_write: true }\n";
  writeFileSync(join(root, "definitions", "toolwright.yaml"), configuration);
  const { code, stdout, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stdout + stderr);
  const { tools } = JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8"));
  const served = await serve(root);
  onTestFinished(() => served.close());
  const tried: string[] = [];
  for (const { op, access, parameters_schema } of tools as readonly Json[])
    for (const name of parameters_schema.required ?? []) {
      const { type, enum: values } = parameters_schema.properties[name];
      if (access === "admin" || type !== "string" || values) continue;
      for (const blank of ["", " \n"]) {
        const { value } = await served.call("tool_exec", { op, args: { [name]: blank } });
        const { code: refusal, details } = value.error;
        const messages = details.field_errors.map(({ message }: Json) => message);
        expect([op, refusal, messages]).toEqual([op, "VALIDATION_ERROR", expect.arrayContaining([`${name} is blank`])]);
      }
      tried.push(`${op} ${name}`);
    }
  expect(tried).toEqual(
    expect.arrayContaining(["brave.news query", "llm.transform prompt", "ot.notify message", "proj.path name"]),
  );
});
