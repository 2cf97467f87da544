/** What features of plugins import, as `toolwright/feature`: types, and two functions. */

export type { Envelope, FailureEnvelope, SuccessEnvelope } from "./contract/envelope.js";
export { type ErrorCode, fail, type Logger, type Principal } from "./contract/handler.js";
export {
  defineFeature,
  type PluginCall as Call,
  type PluginCommand as FeatureCommand,
  type PluginCommandContext as CommandContext,
  type PluginContext as ServeContext,
  type PluginDispatch as Dispatch,
  type PluginFeature as Feature,
  type PluginServePart as ServePart,
  type PluginServing as FeatureServing,
  type PluginSetting as Setting,
} from "./contract/plugin-feature.js";
