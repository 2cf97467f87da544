/** The diagnostics about plugins. Part of the catalogue in `rules.ts`. */

import { rule } from "./rule.js";

/** Rules by code, in the order in which they are listed. */
export const PLUGIN_RULES = {
  "plugin-missing": rule(
    "error",
    (p: { plugin: string; reason: string }) => `the plugin ${p.plugin} ${p.reason}`,
    () =>
      "correct `plugins`: a file is relative to definitions/ and begins with ./ or ../, a package is installed in the project",
  ),
  "plugin-failed": rule(
    "error",
    (p: { plugin: string; doing: string; reason: string }) =>
      `the plugin ${p.plugin} failed in ${p.doing}: ${p.reason}`,
    () => "correct the plugin, or take it out of `plugins`",
  ),
  "plugin-invalid": rule(
    "error",
    (p: { plugin: string; what: string; fact: string }) => `${p.what} of the plugin ${p.plugin} is wrong: ${p.fact}`,
    () => "correct the plugin: docs/extending.md has the forms",
  ),
  "plugin-collision": rule(
    "error",
    (p: { plugin: string; what: string; first: string }) =>
      `the plugin ${p.plugin} adds ${p.what}, which ${p.first} has`,
    () => "rename it in the plugin, or take one of the two out of `plugins`",
  ),
  "plugin-output": rule(
    "error",
    (p: { plugin: string; emitter: string; path: string; reason: string }) =>
      `the emitter ${p.emitter} of the plugin ${p.plugin} cannot write ${JSON.stringify(p.path.slice(0, 200))}: ${p.reason}`,
    () => "give the file another path, relative to generated/ and with forward slashes",
  ),
  "plugin-error": rule(
    "error",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
  "plugin-warning": rule(
    "warning",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
  "plugin-info": rule(
    "info",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
} as const;
