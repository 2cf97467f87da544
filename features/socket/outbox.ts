/**
 * Sends lines on one connection. Stops reading from a client that does not read, and disconnects it before it costs
 * much memory.
 */

import type { Socket } from "node:net";
import type { SocketSettings } from "../../runtime/config/transport-settings.js";

/** The outgoing side of a connection. */
export interface Outbox {
  /** Sends a line. */
  send(line: Buffer): void;
  /** Pauses reading until the returned function is called. */
  hold(): () => void;
  /** Closes the connection after everything has been sent, at most {@link GRACE_MS} later. */
  finish(): void;
}

/** How long a closing connection waits for its client. */
const GRACE_MS = 1000;

/** Up to `responseBytes` may wait for the client; a single line may always be longer. */
export function createOutbox(socket: Socket, settings: () => SocketSettings): Outbox {
  let stalled: NodeJS.Timeout | undefined;
  let holds = 0;
  const readOn = (): void => {
    if (holds === 0 && stalled === undefined) socket.resume();
  };
  const flowing = (): void => {
    clearTimeout(stalled);
    stalled = undefined;
    readOn();
  };
  socket.on("drain", flowing);
  socket.once("close", () => clearTimeout(stalled));
  return {
    send(line) {
      if (!socket.writable) return;
      const waiting = socket.writableLength;
      if (waiting > 0 && waiting + line.length > settings().responseBytes) return void socket.destroy();
      if (socket.write(line)) return;
      socket.pause();
      stalled ??= setTimeout(() => socket.destroy(), settings().stalledMs);
    },
    hold() {
      holds++;
      socket.pause();
      return () => {
        holds--;
        readOn();
      };
    },
    finish() {
      // Incoming data is discarded: closing with unread data would lose the last answers.
      socket.removeAllListeners("data").removeListener("drain", flowing).resume();
      socket.end();
      const limit = setTimeout(() => socket.destroy(), GRACE_MS);
      socket.once("close", () => clearTimeout(limit));
    },
  };
}
