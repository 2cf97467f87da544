/** Shows a stored result page by page. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";
import { api } from "./api.js";
import { CodeFrame } from "./code.js";
import { FailureNotice } from "./text.js";

/** Lines of a page. */
const LIMIT = 50;

interface Page {
  readonly lines: readonly string[];
  readonly total_lines: number;
  readonly offset: number;
  readonly has_more: boolean;
}

/** The pages of one result. */
export function StoredResult({ handle }: { readonly handle: string }) {
  const [page, setPage] = useState<Page>();
  const [before, setBefore] = useState<readonly number[]>([]);
  const [fault, setFault] = useState("");
  const open = useCallback(
    async (offset: number): Promise<void> => {
      setFault("");
      try {
        const envelope = await api.exec({ op: "ot.result", args: { handle, offset, limit: LIMIT } });
        if (!envelope.ok) throw new Error(envelope.error.message);
        if (typeof envelope.result === "string") throw new Error(envelope.result);
        setPage(envelope.result as unknown as Page);
      } catch (error) {
        setFault(messageOf(error));
      }
    },
    [handle],
  );
  useEffect(() => void open(1), [open]);
  if (!page) return fault === "" ? null : <FailureNotice text={fault} />;
  const { lines, offset, total_lines: total, has_more: hasMore } = page;
  const next = (): void => {
    setBefore([...before, offset]);
    void open(offset + lines.length);
  };
  const back = (): void => {
    setBefore(before.slice(0, -1));
    void open(before.at(-1) ?? 1);
  };
  return (
    <div class="stored">
      <h3>Stored result</h3>
      {fault !== "" && <FailureNotice text={fault} />}
      <CodeFrame text={lines.join("\n")} label="Stored result" />
      <p class="buttons">
        <button type="button" disabled={before.length === 0} onClick={back}>
          Back
        </button>
        <button type="button" disabled={!hasMore} onClick={next}>
          Next
        </button>
        <span class="quiet" role="status">
          lines {offset} to {offset + lines.length - 1} of {total}
        </span>
      </p>
    </div>
  );
}
