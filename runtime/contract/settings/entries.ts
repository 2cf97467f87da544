/** Types of the entries of `toolwright.yaml`, as they are written. */

import type { WrittenConfig } from "./project-settings.js";

type Key = keyof WrittenConfig;
type Value<K extends Key> = NonNullable<WrittenConfig[K]>;
/** An entry of a list, or of a map of names. */
type EntryOf<K extends Key> = Value<K> extends readonly (infer E)[] ? E : Value<K>[keyof Value<K>];

/** One entry of `sources`: exactly one kind is set, or a kind of a plugin under its own key. */
export type SourceEntry = EntryOf<"sources">;
/** `sources[].auth`: credentials of an HTTP API. Values name variables, which are read when a call needs them. */
export type SourceAuth = NonNullable<SourceEntry["auth"]>;
/** `ops.<tool>`: what is said of one tool. */
export type OpEntry = EntryOf<"ops">;
/** One item of `ops.<tool>.constraints`: exactly one key is set. */
export type ConstraintEntry = NonNullable<OpEntry["constraints"]>[number];
/** `servers.<name>`: an upstream MCP server. */
export type ServerEntry = EntryOf<"servers">;
/** `servers.<name>.auth`: how tokens for it are got. */
export type ServerAuth = NonNullable<ServerEntry["auth"]>;
/** An entry of `topics`. */
export type TopicEntry = EntryOf<"topics">;
/** An entry of `approve`. */
export type ApproveEntry = EntryOf<"approve">;
/** `secrets`: where secrets are looked up. */
export type SecretsEntry = Value<"secrets">;
/** `state_encryption`: the keys that encrypt what is stored. */
export type StateEncryptionEntry = Value<"state_encryption">;
