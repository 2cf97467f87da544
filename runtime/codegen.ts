/**
 * THE SEAM: the only module that generated code and a user's handlers import, as `toolwright/codegen`.
 *
 * It is types, data, and the few pure functions on which both halves must agree byte for byte; behaviour lives behind it,
 * so that fixing the runtime needs no regeneration.
 */

export {
  equalItems,
  joinedFindings,
  judged,
  judgedInSteps,
  judgedOnce,
  withFinding,
} from "./contract/bounded-validation.js";
export * from "./contract/canonical.js";
export * from "./contract/client.js";
export * from "./contract/closest.js";
export * from "./contract/config-defaults.js";
export * from "./contract/counted.js";
export * from "./contract/descriptor.js";
export * from "./contract/docs-address.js";
export * from "./contract/envelope.js";
export * from "./contract/exposed-names.js";
export * from "./contract/exposure.js";
export * from "./contract/extension.js";
export * from "./contract/finding.js";
export { GATEWAY_TOOLS } from "./contract/gateway-tools.js";
export * from "./contract/handler.js";
export * from "./contract/help.js";
export * from "./contract/http-call.js";
export * from "./contract/json-pointer.js";
export * from "./contract/json-schema.js";
export * from "./contract/literal-pattern.js";
export * from "./contract/merge.js";
export * from "./contract/message-of.js";
export * from "./contract/normal-schema.js";
export * from "./contract/on-line.js";
export * from "./contract/op-glob.js";
export * from "./contract/pack.js";
export * from "./contract/pattern/bounded-pattern.js";
export * from "./contract/python-stubs.js";
export * from "./contract/python-types.js";
export * from "./contract/registry.js";
export * from "./contract/sample.js";
export * from "./contract/signature-index.js";
export * from "./contract/snippet-example.js";
export * from "./contract/type-text.js";
export * from "./contract/uri-template.js";
export * from "./contract/validation.js";
export * from "./contract/wire-names.js";
