/** The channel of a child, seen from the child: a pipe for each direction. */

import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { decodeMessage, messageFrame } from "./child-messages.js";
import { frameReader } from "./frames.js";

/** Its pipes: for messages to it, and for those from it. */
const [FROM_ENGINE, TO_ENGINE] = [3, 4];

/** Sends messages. Those that do not fit into the pipe are sent as the engine reads, in turns of the event loop. */
export interface Channel {
  send(message: object): void;
  /** Sends the last message, and ends this process. */
  end(message: object): void;
}

/** Ends this process with that of the engine: the thread that would read the end of the channel may be busy for long. */
const WATCH = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 500)`;

/** Opens the channel of this process, which ends with it. */
export function openChannel(onMessage: (message: unknown) => void): Channel {
  new Worker(WATCH, { eval: true, env: {} }).unref();
  const input = new Socket({ fd: FROM_ENGINE, readable: true, writable: false });
  const output = new Socket({ fd: TO_ENGINE, readable: false, writable: true });
  input.on("data", frameReader({ frame: (body) => onMessage(decodeMessage(body)) }));
  input.on("error", () => undefined);
  input.on("close", () => process.exit(0));
  // The engine has ended: so does this process, by the end of its input.
  output.on("error", () => undefined);
  return {
    send: (message) => void output.write(messageFrame(message)),
    end: (message) => void output.write(messageFrame(message), () => process.exit(0)),
  };
}
