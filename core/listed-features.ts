/** Implements `toolwright features`: which features a project has, where they come from, what they add. */

import { columns } from "../generator/cli/names.js";
import { isFeatureOf, isServed } from "../runtime/gateway/features.js";
import type { Start } from "../runtime/gateway/open-project.js";
import type { Feature } from "./feature.js";

/** What a feature adds. */
interface Additions {
  readonly settings: number;
  readonly commands: readonly string[];
  /** Of programs. */
  readonly languages: readonly string[];
  readonly serve: boolean;
  readonly ops: boolean;
  readonly calls: boolean;
  readonly transport: boolean;
  readonly ci: boolean;
  readonly build: boolean;
  readonly doctor: boolean;
  readonly diagnostics: number;
}

/** Prints the features in the order in which they stand around a call, the innermost first. Exit code 0. */
export async function listFeatures(
  features: readonly Feature[],
  { config, stale, out, err, paint }: Pick<Start, "config" | "stale" | "out" | "err" | "paint">,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const rows = await Promise.all(
    features
      .filter((one) => isFeatureOf(one, config))
      .map(async (one) => ({
        ...{ name: one.name, origin: one.origin ?? "shipped", adds: await additionsOf(one) },
        active: one.serve === undefined || isServed(one, config),
      })),
  );
  if (json) out(`${JSON.stringify({ features: rows })}\n`);
  else {
    const lines = rows.map(({ name, origin, adds, active }) => [
      ...[name, origin, additionsText(adds)],
      active ? "on" : "off: not served without trust: local",
    ]);
    out(columns([["NAME", "ORIGIN", "ADDS", "ACTIVE"], ...lines], (line) => paint("bold", line)));
  }
  if ((config.plugins ?? []).length > 0 && stale().length > 0)
    err(
      `${paint("yellow", "warning")} generated/ is older than definitions/, and has the features of its plugins: run "toolwright generate"\n`,
    );
  return 0;
}

const additionsOf = async ({
  settings = [],
  commands,
  languages = [],
  serve,
  ops,
  calls,
  socket,
  ci,
  generate,
  doctor,
  rules,
}: Feature): Promise<Additions> => ({
  settings: settings.length,
  commands: Object.keys((await commands?.())?.commands ?? {}),
  languages: languages.map(({ name }) => name),
  serve: serve !== undefined,
  ops: ops !== undefined,
  calls: calls !== undefined,
  transport: socket !== undefined,
  ci: ci !== undefined,
  build: generate !== undefined,
  doctor: doctor !== undefined,
  diagnostics: Object.keys(rules?.catalogue ?? {}).length,
});

/** `settings 3, commands learn, serve`. */
function additionsText({ settings, commands, languages, diagnostics, ...parts }: Additions): string {
  const words = [
    settings > 0 && `settings ${settings}`,
    commands.length > 0 && `commands ${commands.join(" ")}`,
    languages.length > 0 && `languages ${languages.join(" ")}`,
    ...Object.entries(parts).map(([part, isThere]) => isThere && part),
    diagnostics > 0 && `diagnostics ${diagnostics}`,
  ];
  return words.filter((one) => one !== false).join(", ");
}
