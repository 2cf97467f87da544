/** Exceptions of calls that fail. */

import { expect, test } from "vitest";
import type { ErrorCode } from "../../../../../runtime/codegen.js";
import { raisedBy } from "../../../../../runtime/run/languages/python/call-errors.js";
import { closed, toolOf } from "../../../gateway/fixture-tools.js";

const tool = toolOf({ op: "books.create", tool: "create", kind: "write", schema: closed({}) });
const said = (code: ErrorCode, message: string) => {
  const error = { code, message, details: {}, help_path: "" };
  return raisedBy({ tool, bound: new Map(), error, limitMs: 1000 }).message;
};

test.each<readonly [code: ErrorCode]>([["INTERNAL"], ["NOT_FOUND"], ["PERMISSION_DENIED"], ["UNAVAILABLE"]])(
  "the message of %s says once which op has failed",
  (code) => {
    expect(said(code, "books.create failed; see the log.")).toBe("books.create failed; see the log.");
    expect(said(code, "no such book")).toBe("books.create failed: no such book");
  },
);
