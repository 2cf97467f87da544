/** Reads the texts of messages in an HTTP answer, which the SDK provides only in parsed form. */

import { createParser } from "eventsource-parser";

/** Reads one body. */
export interface MessageReader {
  chunk(bytes: Uint8Array): void;
  end(): void;
}

/** Reads a JSON body or an event stream; `undefined` for other content types. */
export function messageReader(contentType: string, onMessage: (text: string) => void): MessageReader | undefined {
  if (/^text\/event-stream\b/i.test(contentType)) return eventReader(onMessage);
  return /^application\/json\b/i.test(contentType) ? wholeReader(onMessage) : undefined;
}

function eventReader(onMessage: (text: string) => void): MessageReader {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => onMessage(data) });
  return { chunk: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })), end: () => undefined };
}

function wholeReader(onMessage: (text: string) => void): MessageReader {
  const chunks: Uint8Array[] = [];
  return { chunk: (bytes) => void chunks.push(bytes), end: () => onMessage(Buffer.concat(chunks).toString("utf8")) };
}
