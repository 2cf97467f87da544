/** Access to the client of a call: elicitation and other requests that a server sends to it. */

import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import type { Context } from "../contract/handler.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import type { TokenSource } from "../contract/token-source.js";

/** Forwards requests of upstream servers to the client of the call. */
export interface Forward {
  /** Identifies the client; the same for all its calls. */
  readonly client: unknown;
  /** The client's declared capabilities in MCP: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: ClientCapabilities;
  /** Sends a request to the client; rejects if the client refuses. `signal` aborts when the call is over. */
  request(
    question: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Input required, in the newer protocol: the answer to a call carries the questions, and the client repeats the call
 * with its responses. No state is kept in between.
 */
export interface InputRequired {
  /** The client's declared capabilities. */
  readonly capabilities: ClientCapabilities;
  /** The client's responses to the previous answer: `inputResponses`, and the server's own `requestState`. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Sets why the call ends without a result. */
  end(turn: Turn): void;
}

/**
 * Why a call ends without a result: the server needs input, or a capability that the client does not declare, or it has
 * answered this request state before, or its result comes later, as that of a task.
 */
export type Turn =
  | { readonly kind: "asks"; readonly inputRequests: JsonObject; readonly requestState: string | undefined }
  | { readonly kind: "lacks"; readonly requiredCapabilities: JsonObject }
  | { readonly kind: "refused" }
  | { readonly kind: "task"; readonly task: JsonObject };

/**
 * An entry of `content` other than text, as the server sent it: an image, audio, an embedded resource, a link to one.
 */
export type ContentBlock = JsonObject;

/** What an upstream server answered, in the form of the protocol. */
export interface NativeAnswer {
  readonly structured: JsonValue | undefined;
  /** The blocks that say something else than the structured value; all of them without one. Undefined if some are no blocks. */
  readonly content: readonly ContentBlock[] | undefined;
  /** `_meta` of the result. */
  readonly meta: JsonObject | undefined;
}

/** Channels to the client that made the call. */
export interface ClientAccess {
  /** Forwards requests of the server; absent if the client cannot answer any. */
  readonly forward?: Forward | undefined;
  /** Receives non-text content of a result, for transports that can show it. */
  readonly attach?: ((block: ContentBlock) => void) | undefined;
  /** Receives the answer to the only call of a tool; returns whether the tool shows its content, so that none is attached. */
  readonly native?: ((answer: NativeAnswer) => boolean) | undefined;
  /** Takes the bytes of attached blocks out of the text of an answer; leaves out other links, and blocks with other bytes if it is the whole answer. */
  readonly textWithoutBytes?: ((text: string, isWhole?: boolean) => string) | undefined;
}

/** Bytes that are stored: their handle, and what reads them. */
export interface KeptBytes {
  readonly handle: string;
  readonly query: string;
}

/** Stores a text for later calls. */
export type KeepText = (text: string) => Promise<KeptBytes>;

/** The blocks of one answer. */
export interface AttachedBlocks {
  attach(block: ContentBlock): void;
  /** The blocks, in order. */
  blocks(): WireBlock[];
  /** A value with the size and the place of bytes that are in a block or under a handle. */
  withoutBytes<T extends object | string>(value: T, keep: KeepText): Promise<T>;
  /** A text, without the bytes that are in a block. Other links are left out, and blocks with other bytes if it is the whole answer. */
  textWithoutBytes(text: string, isWhole?: boolean): string;
}

/** The client features available to one call. */
export interface CallAccess extends Pick<ClientAccess, "forward">, AttachedBlocks {
  /** Takes `_meta` of the result of an upstream server, for a tool that makes one call; its content is shown otherwise. */
  native(answer: NativeAnswer): boolean;
  /** That `_meta`, as a member of the answer. */
  meta(): { readonly _meta?: JsonObject };
}

/** The context of a proxied tool. */
export interface ProxyContext extends Context, ClientAccess {
  /** Tokens of connections, for proxied tools and HTTP APIs. */
  readonly tokens?: TokenSource | undefined;
  /**
   * Input required in the newer protocol; absent if the call is one of several, or the client uses an older protocol.
   */
  readonly inputRequired?: InputRequired | undefined;
}
