/** Asks before a change of the configuration is written: the diff, or why it cannot be written. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ConfigChange, ConfigPreview } from "../../../contract/config-change.js";
import { messageOf } from "../../../contract/thrown.js";
import { api } from "./api.js";
import { Diff } from "./diff.js";
import { FailureNotice, Loading } from "./text.js";
import { useWork } from "./work.js";

interface ReviewProps {
  readonly change: ConfigChange;
  readonly onClose: () => void;
  /** Called with the number of ops that are served. */
  readonly onWritten: (ops: number) => void;
}

/** The dialog; it opens with its element. */
export function Review({ change, onClose, onWritten }: ReviewProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [preview, setPreview] = useState<ConfigPreview>();
  const { fault, setFault, stop, start } = useWork();
  const look = (): void => {
    setFault("");
    api.preview(change).then(setPreview, (error: unknown) => setFault(messageOf(error)));
  };
  useEffect(() => {
    dialog.current?.showModal();
    look();
  }, []);
  const isBusy = stop !== undefined;
  const faults = preview?.faults ?? [];
  const write = (digest: string): void =>
    start(async () => {
      const written = await api.write(change, digest);
      if (written.ok) return onWritten(written.ops);
      if (written.stale) look();
      throw new Error(written.faults.join("\n"));
    });
  return (
    <dialog
      ref={dialog}
      class="review"
      aria-labelledby="review-title"
      onClose={onClose}
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <h2 id="review-title">{faults.length > 0 ? "This cannot be changed here" : "Write this change?"}</h2>
      {!preview && fault === "" && <Loading />}
      {preview && faults.length === 0 && <ConfigDiff text={preview.diff} />}
      {[...faults, ...(fault === "" ? [] : [fault])].map((one) => (
        <FailureNotice key={one} text={one} />
      ))}
      <p class="quiet" role="status">
        {isBusy ? "Writing and generating. It takes seconds, with thousands of tools up to a minute." : ""}
      </p>
      <p class="buttons">
        <button type="button" disabled={isBusy} onClick={() => dialog.current?.close()}>
          {faults.length > 0 ? "Close" : "Cancel"}
        </button>
        {preview && faults.length === 0 && preview.diff !== "" && (
          <button type="button" class="main" disabled={isBusy} onClick={() => write(preview.digest)}>
            {isBusy ? "Writing…" : "Write"}
          </button>
        )}
      </p>
    </dialog>
  );
}

/** A unified diff without the names of its files. */
function ConfigDiff({ text }: { readonly text: string }) {
  if (text === "") return <p>It stands so already: there is nothing to write.</p>;
  const lines = text
    .trimEnd()
    .split("\n")
    .filter((line) => !/^(?:---|\+\+\+|=+$|Index:)/.test(line));
  return <Diff lines={lines} label="Diff of toolwright.yaml" />;
}
