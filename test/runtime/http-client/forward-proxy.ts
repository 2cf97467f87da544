/** A proxy on the loopback address: it forwards http, tunnels https, and leads every host to a port of this machine. */

import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished } from "vitest";

/** A running proxy. */
export interface ForwardProxy {
  readonly origin: string;
  /** What it was asked for: "GET http://a.example/x", "CONNECT a.example:443". */
  readonly asked: string[];
  /** Values of `Proxy-Authorization`. */
  readonly credentials: (string | undefined)[];
}

/**
 * Starts a proxy until the test ends.
 *
 * @param port - where all hosts are
 * @param refusal - the status with which it answers everything
 */
export async function forwardProxy(port: number, refusal?: number): Promise<ForwardProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const note = ({ method, url, headers }: IncomingMessage): void => {
    asked.push(`${method} ${url}`);
    credentials.push(headers["proxy-authorization"]);
  };
  const server = createServer((incoming, response) => {
    note(incoming);
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    const { pathname, search } = new URL(incoming.url ?? "/");
    const { "proxy-authorization": _, ...headers } = incoming.headers;
    const { method } = incoming;
    const onward = request({ host: "127.0.0.1", port, method, path: pathname + search, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    return void incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket) => {
    note(incoming);
    socket.on("error", () => undefined);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, credentials };
}
