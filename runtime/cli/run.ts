/** The command `run`: executes or checks a program from a file, standard input or the command line. */

import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { text } from "node:stream/consumers";
import { writeJson } from "../contract/exact-number.js";
import type { Principal } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import type { Languages } from "../contract/program-language.js";
import { allLanguages } from "../contract/python-language.js";
import { UsageError } from "../contract/usage-error.js";
import type { Start } from "../gateway/open-project.js";
import type { Live } from "../gateway/reloadable-gateway.js";
import { sayingPreparation } from "./preparing.js";

/** Flags of the command. */
export interface RunFlags {
  readonly code?: string;
  readonly check?: boolean;
  /** Only prints declarations of the ops. */
  readonly types?: boolean;
  /** Only says what the program would write. */
  readonly preview?: boolean;
  readonly json?: boolean;
  /** The failed run after which it goes on. */
  readonly after?: string;
}

/** Input of the command. */
export interface RunParts {
  readonly start: Start;
  readonly file: string | undefined;
  readonly flags: RunFlags;
  open(): Promise<Opened>;
}

interface Opened {
  readonly live: Pick<Live, "within" | "close">;
  readonly principal: Principal;
}

/** Runs or checks code and prints the result. Exit code 0, or 1 after a failure or for type errors. What rests on a learned type is advice. */
export async function runCode({ start, file, flags, open }: RunParts): Promise<number> {
  if (flags.check && flags.after !== undefined) throw new UsageError("--check runs nothing: leave --after out");
  if (flags.check && flags.preview) throw new UsageError("--check runs nothing: give --check or --preview");
  if (flags.types) return printTypes(start, file, flags, open);
  const languages = allLanguages(start.features);
  const command = await codeFrom(file, flags.code, languages);
  const language = languages.find(({ extensions }) => extensions.includes(extname(file ?? "")))?.name;
  const opened = await open();
  try {
    if (flags.check)
      return await check(start, opened, { command, language, name: nameOf(file), json: flags.json === true });
    return await execute(start, opened, {
      ...{ command, json: flags.json === true, preview: flags.preview === true },
      ...(flags.after === undefined ? {} : { after: flags.after }),
      ...(language === undefined ? {} : { language }),
    });
  } finally {
    await opened.live.close();
  }
}

/** Prints declarations of what a program may use. */
async function printTypes(
  start: Start,
  file: string | undefined,
  { code, check, preview, after }: RunFlags,
  open: RunParts["open"],
): Promise<number> {
  if ([file, code, after].some((one) => one !== undefined) || check || preview)
    throw new UsageError("--types runs nothing: leave FILE and the other flags out");
  const { live, principal } = await open();
  try {
    const types = await live.within((gateway) => gateway.types(principal));
    if (types === undefined) throw new UsageError(noTypes(allLanguages(start.features)));
    start.out(types);
    return 0;
  } finally {
    await live.close();
  }
}

/** Why there are no declarations. */
function noTypes(languages: Languages): string {
  const typed = languages.filter(({ hasTypes }) => hasTypes);
  const [labels, names] = [typed.map(({ label }) => label).join(" or "), typed.map(({ name }) => name).join(" or ")];
  return typed.length === 0
    ? "--types prints declarations, which no language of programs here has: leave it out"
    : `--types prints ${labels}: add ${names} to run.languages in toolwright.yaml`;
}

async function codeFrom(file: string | undefined, code: string | undefined, languages: Languages): Promise<string> {
  if ((file === undefined) === (code === undefined))
    throw new UsageError("give either a FILE, or - for standard input, or -c CODE");
  if (code !== undefined) return code;
  if (file === "-") return text(process.stdin);
  return readFile(file ?? "", "utf8").catch(() => {
    const labels = languages.map(({ label }) => label).join(" or ");
    throw new UsageError(`${file} cannot be read: name a file of ${labels}`);
  });
}

interface Given {
  readonly command: string;
  readonly json: boolean;
}

async function execute(
  start: Start,
  { live, principal }: Opened,
  {
    json,
    preview,
    ...request
  }: Given & { readonly preview: boolean; readonly after?: string; readonly language?: string },
): Promise<number> {
  const cancel = new AbortController();
  process.once("SIGINT", () => cancel.abort());
  const isPreview = preview ? { isPreview: true as const } : {};
  const program = () =>
    live.within((gateway) => gateway.run(request, principal, { signal: cancel.signal, ...isPreview }));
  const { text, isError, notes, plan } = await sayingPreparation(start, { json, live }, program);
  // A person reads all of it.
  const shown = plan ? (await import("../run/preview/plan-text.js")).planText(plan, { isWhole: true }) : text;
  const said = { ...(notes === undefined ? {} : { notes }), ...(plan ? { plan } : {}) };
  start.out(`${json ? writeJson({ ok: !isError, text, ...said }) : shown}\n`);
  if (notes !== undefined && !json) start.err(`${notes}\n`);
  return isError ? 1 : 0;
}

/** The name of the code in findings. */
const nameOf = (file: string | undefined): string => (file === undefined || file === "-" ? "code" : file);

/** Time limit of a check for which a person or CI waits. */
const CHECK_MS = 60_000;

async function check(
  start: Start,
  { live, principal }: Opened,
  { command, language, name, json }: Given & { readonly name: string; readonly language: string | undefined },
): Promise<number> {
  const options = { language, limitMs: CHECK_MS };
  const answer = await live.within((gateway) => gateway.check(command, principal, options));
  if (answer.kind === "fault") {
    start.out(`${json ? writeJson({ ok: false, error: answer.text }) : answer.text}\n`);
    return 1;
  }
  const { findings } = answer;
  const ok = findings.every((one) => one.is_learned);
  const lines = findings.map(
    ({ line, message, code }) =>
      `${start.paint("bold", `${name}:${line}`)} ${onLine(message)}\n  ${line} | ${onLine(code)}\n`,
  );
  const told = findings.length === 0 ? "nothing found\n" : `${findings.length} found${ok ? ", advice only" : ""}\n`;
  start.out(json ? `${writeJson({ ok, findings })}\n` : lines.join("") + told);
  return ok ? 0 : 1;
}
