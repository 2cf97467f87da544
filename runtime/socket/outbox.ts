/** What goes out on one connection. A client that does not read is not read from, and is cut off before it costs much memory. */

import type { Socket } from "node:net";
import type { SocketSettings } from "./socket-settings.js";

/** The way out. */
export interface Outbox {
  /** Sends a line. */
  send(line: Buffer): void;
  /** Reads nothing until what it gives is called. */
  hold(): () => void;
  /** Closes the connection once everything has gone out, at most {@link GRACE_MS} later. */
  finish(): void;
}

/** How long a connection that is being closed waits for its client. */
const GRACE_MS = 1000;

/** Bytes up to `responseBytes` may wait for the client; one line of any size may always. */
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
      // What still comes in is dropped: closing over it would cost the client the last answers.
      socket.removeAllListeners("data").removeListener("drain", flowing).resume();
      socket.end();
      const limit = setTimeout(() => socket.destroy(), GRACE_MS);
      socket.once("close", () => clearTimeout(limit));
    },
  };
}
