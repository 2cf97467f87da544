/** A session with a server of the MCP SDK that a module exports, in the same process: JSON-RPC messages are passed as objects. */

type Fields = Readonly<Record<string, unknown>>;

/** A server of the MCP SDK, as far as it is used. */
export interface ModuleServer {
  connect(transport: object): Promise<void>;
}

/** A session that is open. */
export interface ServerSession {
  /**
   * Sends a request.
   *
   * @returns its result
   * @throws ServerRefusal if the server answers with an error; what `signal` throws
   */
  request(method: string, params?: Fields, signal?: AbortSignal): Promise<Fields>;
}

/** An error that a server answers with. */
export class ServerRefusal extends Error {
  readonly code: unknown;
  constructor(code: unknown, message: string) {
    super(message);
    this.code = code;
  }
}

/** The protocol that both major versions of the SDK speak. */
const PROTOCOL = "2025-06-18";
const METHOD_NOT_FOUND = -32601;

/** Whether an export is a server of the MCP SDK: its tools are listed and called over the protocol. */
export const isMcpServer = (value: unknown): value is ModuleServer =>
  typeof value === "object" &&
  value !== null &&
  ["registerTool", "connect"].every((key) => typeof (value as Fields)[key] === "function");

/** Sessions by server, since a server has one at a time. */
const sessions = new WeakMap<ModuleServer, Promise<ServerSession>>();

/** The session with a server, which is made at the first use. @throws Error if the server is connected already */
export function sessionWith(server: ModuleServer): Promise<ServerSession> {
  const known = sessions.get(server) ?? openedSession(server);
  sessions.set(server, known);
  return known;
}

async function openedSession(server: ModuleServer): Promise<ServerSession> {
  const waiting = new Map<unknown, (message: Fields) => void>();
  let last = 0;
  const transport: { onmessage?: (message: Fields) => void } & Fields = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message: Fields) => {
      if (!("method" in message)) waiting.get(message["id"])?.(message);
      else if ("id" in message) refuse(message["id"]);
    },
  };
  const post = (message: Fields): void => transport.onmessage?.({ jsonrpc: "2.0", ...message });
  // The server asks something of its client, which cannot be asked here.
  const refuse = (id: unknown): void =>
    post({ id, error: { code: METHOD_NOT_FOUND, message: "this client answers no questions" } });
  const request: ServerSession["request"] = (method, params = {}, signal) =>
    new Promise<Fields>((resolve, reject) => {
      const id = ++last;
      const settle = (act: () => void): void => {
        waiting.delete(id);
        signal?.removeEventListener("abort", stop);
        act();
      };
      const stop = (): void => {
        post({ method: "notifications/cancelled", params: { requestId: id } });
        settle(() => reject(signal?.reason));
      };
      waiting.set(id, ({ result, error }) =>
        settle(() => (error === undefined ? resolve(result as Fields) : reject(refusalOf(error as Fields)))),
      );
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
      else post({ id, method, params });
    });
  await server.connect(transport);
  const clientInfo = { name: "toolwright", version: "1" };
  await request("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  post({ method: "notifications/initialized" });
  return { request };
}

const refusalOf = ({ code, message }: Fields): ServerRefusal => new ServerRefusal(code, String(message));

/** Most pages of a list of tools. */
const MAX_PAGES = 1000;

/** All tools of a server, as it lists them. @throws Error if the list has no end */
export async function toolsOfServer(server: ModuleServer): Promise<readonly Fields[]> {
  const session = await sessionWith(server);
  const found: Fields[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await session.request("tools/list", cursor === undefined ? {} : { cursor });
    found.push(...((answer["tools"] ?? []) as readonly Fields[]));
    cursor = answer["nextCursor"];
    if (cursor === undefined) return found;
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}
