/** Bodies and values of requests, from their description to the bytes that arrive at an API. */

import { expect, test } from "vitest";
import { type Api, caller, rootOfFiles, startApi } from "../../../test/support/http-api.js";
import type { Arrives, BodyCase } from "./body-case.js";
import { MEDIA_TYPES, PARTS } from "./form-bodies.js";
import { DISCRIMINATED, JSON_BODIES, SCHEMAS } from "./json-bodies.js";

const CASES: Readonly<Record<string, BodyCase>> = { ...JSON_BODIES, ...DISCRIMINATED, ...MEDIA_TYPES, ...PARTS };

/** Each body is an operation of its own, `b0` and so on. */
const description = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "API", version: "1" },
  paths: Object.fromEntries(
    Object.values(CASES).map(({ content }, i) => [
      `/b${i}`,
      { post: { operationId: `b${i}`, summary: "Do it.", requestBody: { required: true, content }, responses: {} } },
    ]),
  ),
  components: { schemas: SCHEMAS },
});

const SWAGGER = `
swagger: "2.0"
info: { title: A, version: "1" }
host: a.example
paths:
  /star:
    post:
      operationId: star
      consumes: ["*/*"]
      parameters: [{ in: body, name: body, required: true, schema: { type: object, properties: { a: { type: integer } } } }]
      responses: {}
  /parent:
    post:
      operationId: parent
      consumes: [application/json]
      parameters: [{ in: body, name: body, required: true, schema: { $ref: "#/definitions/Pet" } }]
      responses: {}
  /version:
    get:
      operationId: version
      parameters: [{ in: query, name: v, type: string, required: true, enum: [1.0, 2.10] }]
      responses: {}
definitions:
  Pet: { type: object, required: [kind], discriminator: kind, properties: { kind: { type: string } } }
  Dog: { allOf: [{ $ref: "#/definitions/Pet" }, { type: object, properties: { bark: { type: boolean } }, required: [bark] }] }
`;

const VALUES = `
openapi: 3.0.3
info: { title: A, version: "1" }
paths:
  /text:
    get:
      operationId: text
      parameters:
        - { name: v, in: query, required: true, schema: { type: string, enum: [1.0, 1.1, yes, true, 2024-01-01, 017, 0x1F, null, 1e3] } }
      responses: {}
  /cookie:
    get:
      operationId: cookie
      parameters:
        - { name: sid, in: cookie, required: true, schema: { type: string } }
        - { name: other, in: cookie, schema: { type: string } }
      responses: {}
`;

/** Numbers beside `type: string` in JSON, which mean the texts that are written. */
const NUMBERS = `{
  "openapi": "3.0.3",
  "info": { "title": "A", "version": "1" },
  "paths": { "/text": { "get": { "operationId": "text", "responses": {}, "parameters": [
    { "name": "v", "in": "query", "required": true, "schema": { "type": "string", "enum": [1.0, 1.10, 2, 9007199254740993, 1e3] } },
    { "name": "w", "in": "query", "schema": { "type": "string", "const": 3.0 } },
    { "name": "n", "in": "query", "schema": { "type": "number", "enum": [1.0, 2.50] } }
  ] } } }
}`;

/** What arrived since the last call, with a boundary that is always the same. */
function arrived({ seen }: Api, before: number): Arrives | "nothing" {
  const one = seen[before];
  if (!one) return "nothing";
  const type = one.headers["content-type"] ?? "";
  const [, boundary] = /boundary=(.*)$/.exec(type) ?? [];
  const plain = (text: string): string => (boundary === undefined ? text : text.replaceAll(boundary, "B"));
  return [plain(type), plain(one.body.toString())];
}

/** What a refusal names: the paths of its fields, and the values that are allowed. */
const refusalIn = ({
  error,
}: {
  readonly error?: { readonly details?: { readonly field_errors?: readonly object[] } };
}): string => JSON.stringify(error?.details?.field_errors ?? error ?? "no error");

test("every body arrives as it is described, or is refused at its place", async () => {
  const api = await startApi();
  const root = await rootOfFiles(
    { "api.json": description, "old.yaml": SWAGGER, "values.yaml": VALUES, "numbers.json": NUMBERS },
    `server: ${api.origin}`,
  );
  const call = await caller(root);
  for (const [i, [name, { calls }]] of Object.entries(CASES).entries())
    for (const [args, wanted] of calls) {
      const before = api.seen.length;
      const answer = await call(`api.b${i}`, args);
      const about = `${name} ${JSON.stringify(args)}`;
      if ("refused" in wanted) {
        const [path, ...values] = wanted.refused.split(" ");
        expect.soft(arrived(api, before), about).toBe("nothing");
        expect.soft(refusalIn(answer), about).toContain(`"path":${JSON.stringify(path)}`);
        for (const value of values) expect.soft(refusalIn(answer), about).toContain(value);
      } else expect.soft(arrived(api, before), `${about} ${refusalIn(answer)}`).toEqual(wanted);
    }
  const query = async (op: string, args: object) => {
    const before = api.seen.length;
    const { ok } = await call(op, args);
    return ok
      ? [api.seen[before]?.url, api.seen[before]?.headers.cookie, api.seen[before]?.body.toString()]
      : "refused";
  };
  for (const v of ["1.0", "1.1", "yes", "true", "2024-01-01", "017", "0x1F", "null", "1e3"])
    expect.soft(await query("values.text", { v })).toEqual([`/text?v=${v}`, undefined, ""]);
  expect.soft(await query("values.text", { v: "1" })).toBe("refused");
  for (const v of ["1.0", "1.10", "2", "9007199254740993", "1e3"])
    expect.soft(await query("numbers.text", { v })).toEqual([`/text?v=${v}`, undefined, ""]);
  for (const v of ["1", "1.1", "1000"]) expect.soft(await query("numbers.text", { v })).toBe("refused");
  expect
    .soft(await query("numbers.text", { v: "2", w: "3.0", n: 2.5 }))
    .toEqual(["/text?v=2&w=3.0&n=2.5", undefined, ""]);
  expect.soft(await query("values.cookie", { sid: "a b;c=d" })).toEqual(["/cookie", "sid=a%20b%3Bc=d", ""]);
  expect.soft(await query("values.cookie", {})).toBe("refused");
  expect.soft(await query("old.star", { a: 1 })).toEqual(["/star", undefined, '{"a":1}']);
  expect.soft(await query("old.version", { v: "2.10" })).toEqual(["/version?v=2.10", undefined, ""]);
  expect
    .soft(await query("old.parent", { body: { kind: "Dog", bark: true } }))
    .toMatchObject(["/parent", undefined, '{"kind":"Dog","bark":true}']);
  expect.soft(await query("old.parent", { body: { kind: "Dog" } })).toBe("refused");
});
