/**
 * THE SEAM: the only module that generated code and a user's handlers import, as `toolwright/codegen`.
 *
 * It is types, data, and the few functions that generated code calls; behaviour lies behind it, so that a correction of the runtime
 * needs no regeneration. Both halves of the package import `contract/` directly.
 */

// For generated code.
export {
  found,
  joinedFindings,
  judged,
  judgedInSteps,
  judgedOnce,
  withFinding,
} from "./contract/bounded-validation.js";
export { byCodeUnit, digest } from "./contract/canonical.js";
// For emitted clients, and programs that use them.
export {
  type ClientCall as Call,
  type ClientCallOptions as CallOptions,
  clientOf,
  type HttpCallOptions,
  httpCall,
} from "./contract/client.js";
export { closest } from "./contract/closest.js";
export type { Envelope, FailureEnvelope, SuccessEnvelope } from "./contract/envelope.js";
export { equalItems, isOneOf } from "./contract/equal-values.js";
export { fieldError, invalid } from "./contract/error-body.js";
// For handlers.
export {
  type Binding,
  type Bound,
  type Complete,
  type Context,
  type ErrorCode,
  type FieldError,
  fail,
  type Grant,
  type GrantPart,
  type Handler,
  isToolFailure,
  type Logger,
  type Principal,
  type ToolDispatcher,
  ToolFailure,
  type Transaction,
  unbound,
} from "./contract/handler.js";
export type { Bindings, PackDefinition, StoredObjects } from "./contract/pack.js";
export { boundedPattern } from "./contract/pattern/bounded-pattern.js";
export type { ChatToolDefinition, JsonObject, JsonSchema, JsonValue, Kind, Level } from "./contract/registry.js";
export { type ArgsOf, type RegistryDesc, registry, type ToolDesc, tool } from "./contract/registry.js";
export { type ColumnTypes, type Dialect, defineTables, type Tables, type TablesVersion } from "./contract/tables.js";
export type { TraceContext } from "./contract/trace-context.js";
export { equal, formats, ucs2length, type ValidationIssue, type Validator } from "./contract/validation.js";
