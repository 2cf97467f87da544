/** A proxy before a PostgreSQL that cuts the connection just before or just after a COMMIT. */

import { connect, createServer, type Socket } from "node:net";

/** What becomes of the next COMMIT: `before` it never arrives, `after` it is done and its answer is lost. */
export type Cut = "before" | "after";

/** A proxy on a port of the loopback address. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts at the next COMMIT of a transaction in which a statement begins with these words; resolves when it has. */
  cutAtCommit(cut: Cut, statement: RegExp): Promise<void>;
  /** Cuts every connection, and takes no new ones, until it is called with false. */
  away(isAway: boolean): void;
}

/** A message of the protocol begins with its type and the length of the rest; the first one of a connection has no type. */
const HEAD = 5;

/** Hands over messages as they arrive, however they were cut into packets. */
function splitter(take: (type: string, body: Buffer, whole: Buffer) => void) {
  let rest = Buffer.alloc(0);
  let head = HEAD - 1;
  /** Length of the first message; undefined as long as it is not there. */
  const lengthOf = (): number | undefined => {
    if (rest.length < head) return undefined;
    const length = rest.readUInt32BE(head - 4) + head - 4;
    return rest.length < length ? undefined : length;
  };
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (let length = lengthOf(); length !== undefined; length = lengthOf()) {
      const whole = rest.subarray(0, length);
      rest = rest.subarray(length);
      take(head < HEAD ? "" : whole.toString("latin1", 0, 1), whole.subarray(head), whole);
      head = HEAD;
    }
  };
}

/** Statements in a message: of a simple query, or of one that is parsed. */
const textIn = (type: string, body: Buffer): string => (type === "Q" || type === "P" ? body.toString("utf8") : "");

/** Starts the proxy. */
export async function startCuttingProxy(to: number, later: (clean: () => void) => void): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let plan: { readonly cut: Cut; readonly statement: RegExp; readonly done: () => void } | undefined;
  let isAway = false;
  const server = createServer((client) => {
    if (isAway) return client.destroy();
    const upstream = connect(to, "127.0.0.1");
    const both = [client, upstream];
    const end = (): void => {
      for (const one of both) one.destroy();
    };
    for (const one of both) {
      sockets.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(one);
          end();
        });
    }
    let isMeant = false;
    let isCut = false;
    const planFor = (text: string): typeof plan => {
      if (/^start transaction/.test(text)) isMeant = false;
      isMeant ||= plan?.statement.test(text) === true;
      return isMeant && /^commit\0/.test(text) ? plan : undefined;
    };
    const sent = splitter((type, body, whole) => {
      const due = planFor(textIn(type, body));
      if (!due) return void upstream.write(whole);
      const { cut, done } = due;
      [plan, isCut] = [undefined, true];
      if (cut === "after") upstream.write(whole);
      // What the server says of it never gets through; it has time to do it.
      setTimeout(
        () => {
          end();
          done();
        },
        cut === "after" ? 300 : 0,
      );
    });
    client.on("data", sent);
    upstream.on("data", (chunk: Buffer) => isCut || client.write(chunk));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  later(() => {
    server.close();
    cutAll();
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cutAtCommit: (cut, statement) =>
      new Promise((done) => {
        plan = { cut, statement, done };
      }),
    away(now) {
      isAway = now;
      if (now) cutAll();
    },
  };
}
