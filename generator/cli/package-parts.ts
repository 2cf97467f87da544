/** What the build of the package writes with the code of the program: the schema for editors, and the shipped packs. */

export { editorSchema } from "../config/editor-schema.js";
export { writeShipped } from "../source/write-shipped.js";
