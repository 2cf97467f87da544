/**
 * Secrets that a program tells (`exec:` in `secrets.from`). A command waits for the program when it needs a secret. A
 * server asks it at its start and at a reload, and afterwards in the background only, so that no call waits for it.
 */

import { execFile, spawnSync } from "node:child_process";
import { fail } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import { codeOf } from "../contract/thrown.js";
import { within } from "../contract/within.js";

/** Most bytes of a secret. */
export const MAX_SECRET_BYTES = 64 * 1024;
/** Names that are looked up in folders and by programs: those that `${NAME}` can hold. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** How long a program may take to tell one secret. */
const PROGRAM_MS = 10_000;
/** How long a server waits at its start for all of them. */
const START_MS = 30_000;
/** Programs that run at once. */
const MAX_RUNNING = 4;
/** How long an answer is used before the program is asked again. */
const FRESH_MS = 300_000;
/** Most answers that are kept. */
const MAX_KEPT = 1000;

/** A text without the line end that programs and editors add. */
export const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, "");

/** An answer: a value, empty if the program has none, or the code of its failure. */
interface Answer {
  readonly value: string;
  readonly failure?: string;
  readonly until: number;
}

/** A program that tells secrets. */
export interface SecretProgram {
  /** @throws ToolFailure UNAVAILABLE if the program fails, or a server has not asked it for this secret yet */
  lookup(name: string): string | undefined;
  /** Asks for these secrets; from then on the program runs in the background only. Never rejects. */
  load(names: readonly string[]): Promise<void>;
}

/** The programs of this process: each is asked once for a secret, whatever part of the process needs it. */
const programs = new Map<string, SecretProgram>();

/**
 * A program that is run without a shell: `{name}` in its arguments is the name of the secret. It answers on standard
 * output; an exit code other than 0 means that it has no such secret.
 *
 * @param root the folder in which it is run
 */
export function secretProgram(root: string, command: string): SecretProgram {
  const key = JSON.stringify([root, command]);
  const known = programs.get(key);
  if (known) return known;
  const made = createProgram(root, command);
  programs.set(key, made);
  return made;
}

function createProgram(root: string, command: string): SecretProgram {
  const [program = "", ...args] = command.split(/\s+/);
  const kept = new Map<string, Answer>();
  const asking = new Map<string, Promise<void>>();
  let isServing = false;
  const argsFor = (name: string): readonly string[] => args.map((one) => one.replaceAll("{name}", name));
  const keep = (name: string, answer: Omit<Answer, "until">): Answer => {
    // A value that was told stays in use while the program fails.
    const before = kept.get(name);
    const value = answer.failure === undefined || !before?.value ? answer : { value: before.value };
    const whole = { ...value, until: performance.now() + FRESH_MS };
    if (kept.size >= MAX_KEPT && !before) kept.clear();
    kept.set(name, whole);
    return whole;
  };
  const ask = (name: string): Promise<void> => {
    const running =
      asking.get(name) ?? askLater(root, program, argsFor(name)).then((answer) => void keep(name, answer));
    asking.set(name, running);
    return running.finally(() => asking.delete(name));
  };
  const answerOf = (name: string): Answer => {
    const answer = kept.get(name);
    if (answer && answer.until > performance.now()) return answer;
    if (!isServing) return keep(name, askNow(root, program, argsFor(name)));
    void ask(name);
    return answer ?? { value: "", failure: "", until: 0 };
  };
  return {
    lookup: (name) => {
      if (!SECRET_NAME.test(name)) return undefined;
      const { value, failure } = answerOf(name);
      if (failure !== undefined) return refuse(name, program, failure);
      return value || undefined;
    },
    load: async (names) => {
      isServing = true;
      const left = names.filter((name) => SECRET_NAME.test(name));
      const worker = async (): Promise<void> => {
        for (let name = left.pop(); name !== undefined; name = left.pop()) await ask(name);
      };
      await within(START_MS, Promise.all(Array.from({ length: MAX_RUNNING }, worker)));
    },
  };
}

function refuse(name: string, program: string, failure: string): never {
  const what =
    failure === ""
      ? `is being looked up by ${onLine(program)}, the program of secrets.from: call again. Names in secrets.names are looked up at the start`
      : `cannot be looked up: the program of secrets.from, ${onLine(program)}, fails with ${failure}`;
  return fail("UNAVAILABLE", `The secret ${name} ${what}.`, { secret: name });
}

const LIMITS = { encoding: "utf8", timeout: PROGRAM_MS, maxBuffer: MAX_SECRET_BYTES } as const;

function askNow(cwd: string, program: string, args: readonly string[]): Omit<Answer, "until"> {
  const { error, status, stdout } = spawnSync(program, args, { ...LIMITS, cwd, stdio: ["ignore", "pipe", "ignore"] });
  // The text of the error may hold what the program printed.
  if (error || status === null) return { value: "", failure: String(codeOf(error) ?? "a signal") };
  return { value: status === 0 ? withoutLineEnd(stdout) : "" };
}

function askLater(cwd: string, program: string, args: readonly string[]): Promise<Omit<Answer, "until">> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { ...LIMITS, cwd }, (error, stdout) => {
      if (!error) return resolve({ value: withoutLineEnd(stdout) });
      // A number is the exit code; a text says why the program could not run.
      if (typeof error.code === "number") return resolve({ value: "" });
      return resolve({ value: "", failure: String(error.killed ? "a time limit" : (error.code ?? "a signal")) });
    });
    child.stdin?.end();
  });
}
