/** Thrown for invalid input of `init`; the command ends with exit code 2. */
export class InitRefusal extends Error {
  override readonly name = "UsageError";
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/**
 * Parses one server. A command is split at white space; quotes keep words together, a backslash escapes the next character.
 *
 * @throws InitRefusal with the reason
 */
export function serverGiven(text: string): OfferedServer {
  const cut = text.indexOf("=");
  const [name, target] = [text.slice(0, Math.max(cut, 0)).trim(), text.slice(cut + 1).trim()];
  if (cut < 1 || target === "") throw new InitRefusal(`${JSON.stringify(text)} is not NAME=URL or NAME=COMMAND`);
  if (!NAME.test(name))
    throw new InitRefusal(
      `${JSON.stringify(name)} makes no file name: use letters, digits, dots, hyphens and underscores, beginning with a letter or digit`,
    );
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(target)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^https?$/.test(scheme))
    throw new InitRefusal(
      `${JSON.stringify(target)} cannot be reached: a server has an http or https URL, or is a command`,
    );
  const [command = "", ...args] = scheme !== undefined ? [] : wordsIn(target);
  return { name, value: command === "" ? { url: target } : { command, args }, from: "--server", scope: "given" };
}

/** White space; a double-quoted, single-quoted, escaped or plain piece of a word; otherwise an invalid character. */
const PIECE = /(\s+)|"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(.)/gs;

function wordsIn(text: string): readonly string[] {
  const words: string[][] = [[]];
  for (const [, space, double, single, escaped, plain, stray] of text.matchAll(PIECE)) {
    if (stray !== undefined) throw new InitRefusal(`${JSON.stringify(text)} ends inside a quote: close it`);
    if (space !== undefined) words.push([]);
    else words.at(-1)?.push(double?.replace(/\\(.)/gs, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  return words.filter((pieces) => pieces.length > 0).map((pieces) => pieces.join(""));
}

/** A server to import, from a client or from the command line. */
export interface OfferedServer {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly from: string;
  readonly scope: "project" | "personal" | "given";
}
