/** Masking of the values of secrets that were read, in texts, in the log, and in what ops answer. */

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ToolFailure } from "../../../runtime/codegen.js";
import { openLog } from "../../../runtime/config/log.js";
import {
  rememberSecret,
  rememberToken,
  resultWithoutSecrets,
  withoutKnownSecrets,
} from "../../../runtime/contract/known-secrets.js";
import { scrub } from "../../../runtime/contract/scrub.js";
import { errorOf, fixture, handler, okOf } from "../gateway/fixture.js";

/** A value without the shape of a secret, so that only its being known masks it. */
function remembered(value = `plain value ${randomBytes(6).toString("hex")}`): string {
  rememberSecret(value);
  return value;
}

test("a value is masked wherever it stands, also as JSON and URLs quote it", () => {
  const value = remembered(`it's "quoted" & ${randomBytes(6).toString("hex")}\nwith a line end`);
  expect(withoutKnownSecrets(`a ${value}, ${value}!`)).toBe("a ***, ***!");
  expect(scrub(JSON.stringify({ a: value }))).toBe('{"a":"***"}');
  expect(scrub(`https://example.com/?q=${encodeURIComponent(value)}&r=1`)).toBe("https://example.com/?q=***&r=1");
});

test("of values with the same start the longest is masked, and a text that only begins like one stays", () => {
  const short = remembered(`begin-${randomBytes(8).toString("hex")}`);
  const long = remembered(`${short}-and-more`);
  expect(withoutKnownSecrets(`${long} ${short} ${short.slice(0, -1)}`)).toBe(`*** *** ${short.slice(0, -1)}`);
  const repeated = remembered(`${"ab".repeat(20)}!`);
  expect(withoutKnownSecrets(`ab${repeated}ab${"ab".repeat(20)}`)).toBe(`ab***ab${"ab".repeat(20)}`);
});

test.each(["short-1", "password", "Postgresql", "20261126", ""])("%j occurs by chance, and is not masked", (value) => {
  rememberSecret(value);
  expect(withoutKnownSecrets(`it is ${value} there`)).toBe(`it is ${value} there`);
});

test("the latest thousand values are masked, whatever characters they hold", () => {
  const values = Array.from({ length: 1000 }, (_, i) => `^$.*+?()[]{}|/\\-${i}-${randomBytes(4).toString("hex")}`);
  for (const value of values) rememberSecret(value);
  expect(withoutKnownSecrets(values.join(" "))).toBe(values.map(() => "***").join(" "));
});

test("tokens come and go, and push no secret out; of a JSON Web Token the signature is masked", () => {
  const value = remembered();
  const signature = (i: number): string => `${i}-${randomBytes(24).toString("base64url")}`;
  const signatures = Array.from({ length: 1100 }, (_, i) => signature(i));
  for (const one of signatures) rememberToken(`eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.${one}`);
  expect(withoutKnownSecrets(`${value} ${signatures.slice(100).join(" ")}`)).toBe("*** ".repeat(1001).trim());
});

test("a result is copied only if it holds a secret", () => {
  const value = remembered();
  const clean = { items: [{ a: "b", n: 1 }], none: null };
  expect(resultWithoutSecrets(clean)).toBe(clean);
  expect(resultWithoutSecrets({ [value]: [1, [`x${value}`]], n: 2 })).toEqual({ "***": [1, ["x***"]], n: 2 });
});

test("what an op answers holds no secret: its result with a warning, its errors with their details", async () => {
  const value = remembered();
  const { exec } = fixture({
    handlers: {
      "onto.task.list": handler(async () => ({ headers: { "x-key": value } })),
      "onto.task.delete": handler(async () => {
        throw new ToolFailure("CONFLICT", `refused ${value}`, { seen: [value] });
      }),
    },
  });
  const { result, meta } = okOf(await exec("onto.task.list"));
  expect(result).toEqual({ headers: { "x-key": "***" } });
  expect(meta.warnings).toEqual(["secret_masked: the result holds a secret of this server; *** stands in its place"]);
  const error = errorOf(await exec("onto.task.delete", { task_id: "task_1" }));
  expect(error.code).toBe("CONFLICT");
  expect(JSON.stringify(error)).not.toContain(value);
});

test("the log holds no secret", async () => {
  const value = remembered('a "quoted" value 42');
  const lines: string[] = [];
  const log = await openLog({ level: "info" }, ".", (line) => void lines.push(line));
  log.info(`with ${value}`, { field: value, nested: { url: `https://example.com/${encodeURIComponent(value)}` } });
  expect(JSON.parse(lines.join(""))).toMatchObject({
    msg: "with ***",
    field: "***",
    nested: { url: "https://example.com/***" },
  });
});
