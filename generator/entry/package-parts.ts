/** What the build of the package writes with the code of the program: the schema for editors, and the shipped packs. */

import { FEATURES } from "../../features/list.js";
import { editorSchema } from "../config/editor-schema.js";

export { writeShipped } from "../source/write-shipped.js";

/** The schema of `toolwright.yaml` with the keys of all features. */
export const packageSchema = (): object => editorSchema(FEATURES);
