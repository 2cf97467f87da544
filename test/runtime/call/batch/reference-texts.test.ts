/** Texts in the arguments of a batch that look like references to earlier entries. */

import { describe, expect, test } from "vitest";
import { isBatchRefusal } from "../../../../runtime/call/batch/batch.js";
import { fixture, principal } from "../../gateway/fixture.js";

describe("a text that looks like a reference", () => {
  const warned = async (args: unknown) => {
    const fields = { type: "exec", op: "onto.task.search", args };
    const ops = [{ ...fields, id: "a", args: { search: "x" } }, fields];
    const answer = await fixture().gateway.batch({ ops }, principal());
    const second = isBatchRefusal(answer) ? undefined : answer.results[1];
    expect(second?.ok).toBe(true);
    return (second?.["meta"] as { readonly warnings: readonly string[] } | undefined)?.warnings;
  };

  test.each([
    "$0.owner_id",
    "$a.result.id",
    "{{a.result.id}}",
    "{{ ops[0].id }}",
    `\${a.id}`,
    "a#/result/id",
    "$ref:0#/result/id",
  ])("%s is sent as it is, with a warning that says how references are written", async (search) => {
    const warning = `reference_text: search is sent as the text ${JSON.stringify(search)}; a value of an earlier entry is {"$ref": "<id or index>#/<pointer>"}, such as {"$ref": "0#/result/id"}`;
    expect(await warned({ search })).toEqual([warning]);
    expect(await warned(JSON.stringify({ search }))).toContain(warning);
    expect(await warned({ search: { $literal: search } })).toEqual([]);
  });

  test.each(["$5.00", "$HOME/x", "{{name}}", "$1.id", "#/result/id", "Rex $0.id", "a.id", `{{a.${"x".repeat(300)}}}`])(
    "%s does not",
    async (search) => expect(await warned({ search })).toEqual([]),
  );
});
