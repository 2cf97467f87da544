/** The name of the feature, which is a module of its own, so that a start loads no more than that. */
export const EXTENSIONS_NAME = "extensions";
