/** The build of sql.js that is one file, which its types do not list. */
declare module "sql.js/dist/sql-wasm-inline.js" {
  export { default } from "sql.js";
}
