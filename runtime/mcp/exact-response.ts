/** Answers over HTTP, whose messages the SDK writes, with exact numbers where the server has marked them. */

import { hasMarks, unmarked } from "../contract/exact-number.js";

const MESSAGES = /^(?:application\/json|text\/event-stream)\b/i;

/** The answer, its marked numbers written as they are spelled. The SDK hands over every message in one piece. */
export function unmarkedResponse(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (!body || !MESSAGES.test(headers.get("content-type") ?? "")) return response;
  const reader = body.getReader();
  const exact = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(unmarkedBytes(value));
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(exact, { status, statusText, headers });
}

function unmarkedBytes(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return hasMarks(text) ? Buffer.from(unmarked(text.toString("utf8"))) : bytes;
}
