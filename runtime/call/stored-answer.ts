/** The answer of a write as the ledger stores it: as text, encrypted where the configuration has keys for that. */

import { fail } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import type { LedgerSlot } from "./ledger.js";

/** Encrypts answers, each bound to its place. */
export interface AnswerSeal {
  close(text: string, place: readonly string[]): Sealed;
  /** Undefined if the key is not configured, or the text was changed. */
  open(sealed: Sealed, place: readonly string[]): string | undefined;
}

interface Sealed {
  readonly body: string;
  readonly key_id: string;
}

/** An encrypted answer; one in clear begins with a brace. */
const SEALED = /^sealed ([^ ]+) ([A-Za-z0-9+/=]+)$/;

const placeOf = ({ caller, op, key }: LedgerSlot): readonly string[] => ["ledger", caller, op, key];

/** The text of an answer for the ledger; in clear without a seal. */
export function sealedAnswer(seal: AnswerSeal | undefined, claim: LedgerSlot, text: string): string {
  if (!seal) return text;
  const { body, key_id: id } = seal.close(text, placeOf(claim));
  return `sealed ${encodeURIComponent(id)} ${body}`;
}

/**
 * The text of a stored answer, in clear.
 *
 * @throws ToolFailure CONFLICT if it cannot be decrypted
 */
export function openedAnswer(seal: AnswerSeal | undefined, claim: LedgerSlot, stored: string): string {
  const [, id, body = ""] = SEALED.exec(stored) ?? [];
  if (id === undefined) return stored;
  const key_id = decodeURIComponent(id);
  const text = seal?.open({ body, key_id }, placeOf(claim));
  return text ?? fail("CONFLICT", unreadable(onLine(key_id)), { reason: "answer_unreadable" });
}

const unreadable = (keyId: string): string =>
  `This idempotency_key was used, and the call was carried out. Its answer cannot be decrypted: the server needs the key ${keyId} in state_encryption.keys. Do not send the call again with another key.`;
