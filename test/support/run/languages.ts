/** Languages of programs for tests: Python, and those that features add. */

import { afterAll } from "vitest";
import { FEATURES } from "../../../features/list.js";
import { type RunSettings, runSettingsOf } from "../../../runtime/config/run-settings.js";
import { type Languages, namedLanguages } from "../../../runtime/contract/program-language.js";
import { PYTHON_LANGUAGE } from "../../../runtime/contract/python-language.js";
import type { WrittenConfig } from "../../../runtime/contract/settings/project-settings.js";
import type { LoadedFeatures } from "../../../runtime/gateway/features.js";
import type { Interpreter, Language } from "../../../runtime/run/languages/language.js";
import { type AddedLanguage, CORE_LANGUAGES, type LanguageRows } from "../../../runtime/run/languages/table.js";

const ADDED: readonly AddedLanguage[] = FEATURES.flatMap(({ languages = [] }) => languages);

/** All languages. */
export const ALL_LANGUAGES: LanguageRows = [...CORE_LANGUAGES, ...ADDED];

/** What is said of all. */
const SAID: Languages = [PYTHON_LANGUAGE, ...ADDED];

/** A gateway without features that knows the languages that they add. */
export const WITH_LANGUAGES: LoadedFeatures = { config: { sources: [] }, parts: [], languages: ALL_LANGUAGES };

/** Settings of runs whose programs may be in any language. */
export const runSettings = (config: Partial<WrittenConfig>): RunSettings => runSettingsOf(config, config.output, SAID);

/** What is said of languages, by their names. */
export const saidOf = (names: readonly string[]): Languages => namedLanguages(names, SAID);

/** A language that a feature adds. */
export function addedLanguage(name: string): AddedLanguage {
  const found = ADDED.find((one) => one.name === name);
  if (!found) throw new Error(`no feature adds the language ${name}`);
  return found;
}

/** A language whose processes the gateways of a file share, which start late where others use the machine too. @param sets - of processes that take turns */
export function sharedLanguage(name: string, sets = 1): AddedLanguage {
  const row = addedLanguage(name);
  const shared: Interpreter[] = [];
  let turn = 0;
  afterAll(() => Promise.all(shared.map((one) => one.close())));
  const load = async (): Promise<Language> => {
    const language = await row.load();
    const open: Language["open"] = (root, settings) => {
      const place = turn++ % sets;
      const one = shared[place] ?? language.open(root, settings);
      shared[place] = one;
      return { ...one, close: async () => undefined };
    };
    return { ...language, open };
  };
  return { ...row, load };
}
