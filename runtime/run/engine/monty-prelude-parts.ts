/** Picks the parts of the prelude that a program needs: most programs need a few functions of many. */

/** A function of the prelude, or an assignment. */
interface Part {
  readonly text: string;
  /** The private name that it binds. */
  readonly name: string;
  /** The private names in its text. */
  readonly mentions: readonly string[];
}

const PRIVATE = /\b__\w+/g;
/** What a line at module level binds: `def __a(…)`, `__a = …`, `import json as __json`. */
const BINDING = /^(?:def |import \w+ as )?(__\w+)(?: =|\(|$)/;

/** Private names of a text. A name in a string counts: a part too many does no harm. */
const mentionedIn = (text: string): readonly string[] => [...new Set(text.match(PRIVATE))];

/** Divides Python at its lines without indentation, and at semicolons in these. No text in these has a semicolon. */
function partsOf(source: string): readonly Part[] {
  const texts: string[] = [];
  for (const line of source.split("\n").filter((one) => one !== "")) {
    if (line.startsWith(" ")) texts.push(`${texts.pop() ?? ""}${line}\n`);
    else if (line.startsWith("def ")) texts.push(`${line}\n`);
    else texts.push(...line.split("; ").map((one) => `${one}\n`));
  }
  return texts.map((text) => {
    const name = BINDING.exec(text.slice(0, text.indexOf("\n")))?.[1];
    if (name === undefined) throw new Error(`a part of the prelude binds no private name: ${text}`);
    return { text, name, mentions: mentionedIn(text) };
  });
}

/**
 * Returns a function that gives the parts that code needs, in their order: those that it mentions, and those that these
 * mention.
 */
export function pickerOf(source: string): (code: string, always?: readonly string[]) => string {
  const parts = partsOf(source);
  const byName = new Map(parts.map((part) => [part.name, part]));
  if (byName.size < parts.length) throw new Error("a name of the prelude is bound twice");
  return (code, always = []) => {
    const needed = new Set<Part>();
    const open = [...always, ...mentionedIn(code)];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const part = byName.get(name);
      if (!part || needed.has(part)) continue;
      needed.add(part);
      open.push(...part.mentions);
    }
    return joined(parts.filter((part) => needed.has(part)));
  };
}

/** The text of parts. Assignments share lines: Monty compiles the same code in more time if it has more lines. */
function joined(parts: readonly Part[]): string {
  let text = "";
  let isOpen = false;
  for (const part of parts) {
    const isFunction = part.text.startsWith("def ");
    text += isOpen ? (isFunction ? "\n" : "; ") : "";
    text += isFunction ? part.text : part.text.trimEnd();
    isOpen = !isFunction;
  }
  return isOpen ? `${text}\n` : text;
}
