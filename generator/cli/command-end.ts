/** Ends the process of a command that has done its work, also where code of the project would keep it running. */

/** Time for what was begun and not awaited, such as the write of a cache or a request of a handler, in ms. */
const GRACE_MS = 200;

/** Resolves once a stream has passed on all that was written, or cannot. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((done) => (stream.writableLength === 0 ? done() : stream.write("", () => done())));

/**
 * Ends the process once its output is written. Nothing that it has opened itself is open then; a timer, socket or pool that
 * a handler or a plugin has left open would keep it running for ever, and is given a moment.
 */
export async function endCommand(): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(written));
  const late = setTimeout(() => process.exit(), GRACE_MS).unref();
  process.once("beforeExit", () => clearTimeout(late));
}
