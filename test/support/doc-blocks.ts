/** Fenced blocks of the documentation, and the commands in them. */

import { docPages, pageText } from "./doc-pages.js";

/** A fenced block. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a text. */
export const blocksIn = (page: string, text: string): readonly Block[] =>
  [...text.matchAll(/^(`{3,})([^\n`]*)\n((?:.*\n)*?)\1$/gm)].map(({ 2: language = "", 3: body = "", index }) => ({
    page,
    line: text.slice(0, index).split("\n").length,
    language,
    text: body,
  }));

/** The fenced blocks of every page. */
export const docBlocks = (): readonly Block[] => docPages().flatMap((page) => blocksIn(page, pageText(page)));

/** A command, and what the block prints after it. */
export interface Command {
  readonly page: string;
  readonly line: string;
  readonly output: string;
}

/** The commands of a block: each line of `sh`, and of `console` what follows a `$`, up to the end of its quotes. */
export function commandsOf({ page, language, text }: Block): readonly Command[] {
  if (language === "sh")
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => ({ page, line, output: "" }));
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((session) => {
      const lines = session.split("\n");
      const isWhole = (count: number): boolean => (lines.slice(0, count).join("\n").split("'").length - 1) % 2 === 0;
      const length = lines.findIndex((_, at) => isWhole(at + 1)) + 1 || lines.length;
      return { page, line: lines.slice(0, length).join("\n"), output: lines.slice(length).join("\n") };
    });
}
