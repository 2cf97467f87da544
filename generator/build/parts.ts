/** What the build writes with the program's own code. */

export { editorSchema } from "../config/editor-schema.js";
export { writeShipped } from "../source/write-shipped.js";
