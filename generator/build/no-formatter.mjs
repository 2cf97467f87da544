// Stands for prettier in the bundle: json-schema-to-typescript calls it only with the option `format`, which is off.
export function format() {
  throw new Error("types are printed without a formatter");
}
