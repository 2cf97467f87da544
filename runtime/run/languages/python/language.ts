/** Python, as a language of `run`. */

import type { Language } from "../language.js";
import { lazyEngines } from "./lazy-engines.js";
import { PYTHON_TEXTS } from "./texts.js";

/** Python: CPython, compiled to WebAssembly, in locked processes. */
export const PYTHON: Language = { name: "python", texts: PYTHON_TEXTS, open: lazyEngines };
