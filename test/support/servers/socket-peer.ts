/** A scripted server on a socket that simulates faults which a real server does not have. */

import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Json, temporaryFolder } from "../project.js";

/** What a peer answers to a method: a result, an error made by {@link refusal}, or nothing, where it is `undefined`. */
export type Answers = Readonly<Record<string, (params: Json, peer: PeerConnection, id: number) => unknown>>;

/** One connection, as the peer sees it. */
export interface PeerConnection {
  readonly socket: Socket;
  /** Sends a message as it is. */
  send(message: object): void;
}

/** A running peer. */
export interface Peer {
  readonly path: string;
  /** Everything that was received, in order. */
  readonly received: readonly Json[];
  /** Methods of {@link received}. */
  methods(): readonly string[];
  /** Open connections. */
  readonly connections: ReadonlySet<PeerConnection>;
  /** How many there were in all. */
  count(): number;
  /** Sends a notification on all connections. */
  notify(method: string, params: object): void;
  /** Ends the server and its connections; the path is free again. */
  stop(): Promise<void>;
}

class Refusal {
  readonly error: object;
  constructor(error: object) {
    this.error = error;
  }
}

/** An error as an answer. */
export const refusal = (code: number, message: string, data?: object): Refusal =>
  new Refusal({ code, message, ...(data ? { data } : {}) });

/** A path of a socket in a folder of its own. */
export const socketPath = (): string => join(temporaryFolder(), "s.sock");

/** Starts a peer; `opened` is called for each connection. */
export async function startPeer(
  answers: Answers,
  { path = socketPath(), opened = () => {} }: { path?: string; opened?: (peer: PeerConnection) => void } = {},
): Promise<Peer> {
  const received: Json[] = [];
  const connections = new Set<PeerConnection>();
  let count = 0;
  const server = createServer((socket) => {
    const peer: PeerConnection = {
      socket,
      send: (message) => void socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    };
    count++;
    connections.add(peer);
    let text = "";
    socket.setEncoding("utf8");
    socket.on("error", () => undefined);
    socket.once("close", () => connections.delete(peer));
    socket.on("data", (chunk: string) => {
      const lines = `${text}${chunk}`.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line);
        received.push(message);
        void reply(answers, peer, message);
      }
    });
    opened(peer);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const stop = async (): Promise<void> => {
    for (const { socket } of connections) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    rmSync(path, { force: true });
  };
  onTestFinished(stop);
  return {
    ...{ path, received, connections, stop },
    methods: () => received.map(({ method }) => method),
    count: () => count,
    notify: (method, params) => {
      for (const one of connections) one.send({ method, params });
    },
  };
}

async function reply(answers: Answers, peer: PeerConnection, { id, method, params }: Json): Promise<void> {
  const answer = await answers[method]?.(params, peer, id);
  if (answer === undefined || id === undefined) return;
  peer.send(answer instanceof Refusal ? { id, error: answer.error } : { id, result: answer });
}

/** A tool as a server lists it. */
export const farTool = (name: string, more: object = {}): Json => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: {} },
  annotations: { readOnlyHint: true },
  ...more,
});

/** A result of a tool. */
export const said = (text: string): Json => ({
  content: [{ type: "text", text }],
  structuredContent: { text },
  isError: false,
});
