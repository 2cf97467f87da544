/** The log of a run as text: answers of calls with the types that Python sees, sealed with the key of the server. */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { State } from "../../state/open.js";
import { sealingKey } from "../../state/sealing-key.js";
import { INTERNAL, REFUSED } from "../engine/engine.js";
import type { CallAnswer, CallFailure, Data } from "../languages/language.js";

/** Values that JSON lacks, in the form of those that it has. */
function packed(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return { $: "int", text: String(value) };
  if (value instanceof Uint8Array) return { $: "bytes", text: Buffer.from(value).toString("base64") };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $: "number", text: Object.is(value, -0) ? "-0" : String(value) };
  return value;
}

function unpacked(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("$" in value && "text" in value)) return value;
  const text = String(value.text);
  if (value.$ === "int") return BigInt(text);
  if (value.$ === "bytes") return new Uint8Array(Buffer.from(text, "base64"));
  return value.$ === "number" ? Number(text) : value;
}

/** An answer as JSON, as servers of earlier versions read it too. An error that is not for the program keeps no details. */
export function textOfAnswer(answer: CallAnswer): string {
  if ("value" in answer) return JSON.stringify({ value: answer.value }, packed);
  const { exception, message, code, details } = answer.failure;
  return JSON.stringify({ raised: answer.failure === INTERNAL ? [] : [exception, message, { code, details }] }, packed);
}

/** Class, message and data of a failure; logs of earlier versions have no data. */
type Raised = readonly [exception?: string | null, message?: string, data?: Pick<CallFailure, "code" | "details">];

/** The answer of {@link textOfAnswer}. */
export function answerOfText(text: string): CallAnswer {
  const read = JSON.parse(text, unpacked) as { readonly value?: Data; readonly raised?: Raised };
  if (read.raised === undefined) return { value: read.value as Data };
  const [exception, message, data = REFUSED] = read.raised;
  if (message === undefined) return { failure: INTERNAL };
  return { failure: { ...data, message, ...(typeof exception === "string" ? { exception } : {}) } };
}

/** Seals texts and opens them again. */
export interface LogSeal {
  seal(text: string): string;
  /** @throws Error if the text was sealed with another key, or changed */
  open(sealed: string): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The seal of the runs of a state database, with the key of its servers. */
export async function runSeal(state: State): Promise<LogSeal> {
  const key = createHmac("sha256", await sealingKey(state))
    .update("runs")
    .digest();
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      const cipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
      cipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = bytes.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([cipher.update(body), cipher.final()]).toString("utf8");
    },
  };
}
