/** Writes marked exact numbers into the HTTP responses that the SDK has serialized. */

import { hasMarks, unmarked } from "../../contract/exact-number.js";

const MESSAGES = /^(?:application\/json|text\/event-stream)\b/i;

/** The response with its marked numbers as originally spelled. The SDK passes on every message in one piece. */
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
