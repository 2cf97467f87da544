/** Trace ids, which identify one call in answers, logs and spans. */
import { randomBytes } from "node:crypto";

/** A trace id: `tr_` and 16 hexadecimal digits. */
export const newTraceId = (): string => `tr_${randomBytes(8).toString("hex")}`;
