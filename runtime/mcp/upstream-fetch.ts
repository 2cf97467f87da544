/** `fetch` for one upstream server: its headers go to its own origin only, and an answer has a greatest size. */

/**
 * Makes the `fetch` of one server. The same transport also fetches from authorization servers, which must not see the headers.
 *
 * @param limit greatest size of one answer, in bytes as they come out of the decompression
 * @param until ends every request that is still under way
 */
export function boundedFetch(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  limit: number,
  until: AbortSignal,
): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const sent = new Headers(init?.headers);
    if (url.origin === endpoint.origin)
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value);
    const signal = init?.signal ? AbortSignal.any([init.signal, until]) : until;
    const response = await fetch(input, { ...init, headers: sent, signal });
    return response.body === null ? response : bounded(response, response.body, limit);
  };
}

function bounded(response: Response, body: ReadableStream<Uint8Array>, limit: number): Response {
  let left = limit;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new Error(`it sent an answer of more than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText } = response;
  const copy = new Response(body.pipeThrough(counting), { status, statusText, headers: response.headers });
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}
