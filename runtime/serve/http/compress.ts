/** Compression of responses over HTTP, as the client accepts it: Brotli, otherwise gzip. */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { parseAccept } from "hono/utils/accept";

/** Smallest body that is compressed, in bytes: a smaller one fits into one packet anyway. */
const MIN_BYTES = 1024;
/** Largest body that is compressed, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Media types that gain from it. A stream of events is sent as it comes, and so never compressed. */
const TEXTS = /^(?:text\/(?!event-stream)|application\/json\b|image\/svg\+xml\b)/i;

/** A way to compress, on threads of Node's pool. */
type Compress = (body: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Brotli at quality 5 is as fast as gzip, and a fifth smaller. */
const ENCODINGS: ReadonlyMap<string, Compress> = new Map<string, Compress>([
  ["br", (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ["gzip", (body) => zip(body)],
]);

/** The first encoding of {@link ENCODINGS} that an `Accept-Encoding` header takes. */
export function encodingFor(header: string): string | undefined {
  const quality = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  return [...ENCODINGS.keys()].find((name) => (quality.get(name) ?? quality.get("*") ?? 0) > 0);
}

/** Compresses texts of responses. Entity tags of responses must be weak, since the bytes depend on the encoding. */
export const compressResponses: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers, body, status } = c.res;
  if (body === null || headers.has("content-encoding") || !TEXTS.test(headers.get("content-type") ?? "")) return;
  headers.append("Vary", "Accept-Encoding");
  const name = encodingFor(c.req.header("accept-encoding") ?? "");
  const compress = name === undefined ? undefined : ENCODINGS.get(name);
  if (name === undefined || !compress) return;
  const whole = new Uint8Array(await c.res.arrayBuffer());
  const isWorth = whole.byteLength >= MIN_BYTES && whole.byteLength <= MAX_BYTES;
  const sent = new Headers(headers);
  if (isWorth) sent.set("Content-Encoding", name);
  sent.delete("content-length");
  // Hono joins the headers of a response that is replaced; those of the new one are complete.
  c.res = undefined;
  c.res = new Response(isWorth ? await compress(whole) : whole, { status, headers: sent });
};
