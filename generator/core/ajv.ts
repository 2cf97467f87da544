/** Ajv in its three dialects, with its printer: imported as one module, because loading it takes 50 to 80 ms. */

export { _, Ajv, Name } from "ajv";
export { Ajv2019 } from "ajv/dist/2019.js";
export { Ajv2020 } from "ajv/dist/2020.js";
export { ValueScope } from "ajv/dist/compile/codegen/index.js";
export { default as standalone } from "ajv/dist/standalone/index.js";
export { default as formats } from "ajv-formats";
