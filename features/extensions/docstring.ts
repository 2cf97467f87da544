/** Parses docstrings in the styles of Google, NumPy and Sphinx: description, parameters and result. */

/** The parts of a docstring. */
export interface Docstring {
  /** The description, without the parts below. */
  readonly description: string;
  /** By parameter. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly returns: string;
}

/** The text without the common indentation of all lines but the first, and without surrounding blank lines. */
export function cleanedDocstring(text: string): string {
  const [first = "", ...rest] = text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.replaceAll("\t", " ".repeat(8)).trimEnd());
  const depths = rest.filter((line) => line !== "").map(depthOf);
  const shared = depths.length > 0 ? Math.min(...depths) : 0;
  return [first.trimStart(), ...rest.map((line) => line.slice(shared))].join("\n").trim();
}

const depthOf = (line: string): number => line.length - line.trimStart().length;

type Part = "parameters" | "returns";

const PARTS: ReadonlyMap<string, Part> = new Map([
  ["args", "parameters"],
  ["arguments", "parameters"],
  ["params", "parameters"],
  ["parameters", "parameters"],
  ["keyword args", "parameters"],
  ["keyword arguments", "parameters"],
  ["other parameters", "parameters"],
  ["return", "returns"],
  ["returns", "returns"],
]);

/** A section that starts at a line: its number of lines, and its contents. */
interface Section {
  readonly lines: number;
  readonly parameters: readonly (readonly [name: string, text: string])[];
  readonly returns: string;
}

const SECTIONS: readonly ((lines: readonly string[]) => Section | undefined)[] = [google, numpy, sphinx];

/** Parses a docstring. */
export function readDocstring(text: string): Docstring {
  const lines = cleanedDocstring(text).split("\n");
  const kept: string[] = [];
  const parameters = new Map<string, string>();
  const returns: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const rest = lines.slice(at);
    const section = SECTIONS.map((read) => read(rest)).find((found) => found !== undefined);
    if (!section) kept.push(lines[at] ?? "");
    for (const [name, about] of section?.parameters ?? []) parameters.set(name, about);
    returns.push(section?.returns ?? "");
    at += section?.lines ?? 1;
  }
  const description = kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return { description, parameters, returns: returns.join(" ").trim() };
}

/** Parses `Args:` with the indented lines below it. */
function google([header = "", ...below]: readonly string[]): Section | undefined {
  const part = PARTS.get(/^(\w[\w ]*):$/.exec(header)?.[1]?.toLowerCase() ?? "");
  const body = leading(below, (line) => line === "" || depthOf(line) > 0);
  if (!part || body.every((line) => line === "")) return undefined;
  return sectionOf(part, 1 + body.length, body, /^\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$/);
}

/** Parses `Parameters`, a line of hyphens, and lines up to the next header. */
function numpy([header = "", rule = "", ...below]: readonly string[]): Section | undefined {
  const part = PARTS.get(header.toLowerCase());
  if (!part || !isRule(rule)) return undefined;
  const end = below.findIndex((line, i) => line !== "" && depthOf(line) === 0 && isRule(below[i + 1] ?? ""));
  const body = end < 0 ? below : below.slice(0, end);
  // A result has its type on the first line and its description below.
  const indented = body.filter((line) => depthOf(line) > 0);
  const about = part === "returns" && indented.length > 0 ? indented : body;
  return sectionOf(part, 2 + body.length, about, /^\*{0,2}(\w+)\s*(?::.*)?()$/);
}

const isRule = (line: string): boolean => /^-{3,}$/.test(line);

/** Parses `:param name: text` with the indented lines below it; types are ignored in favour of the signature. */
function sphinx([header = "", ...below]: readonly string[]): Section | undefined {
  const [, field = "", name = "", text = ""] =
    /^:(param|parameter|arg|argument|key|keyword|type|return|returns|rtype)(?:\s+(?:[^:]*\s)?\*{0,2}(\w+))?\s*:\s*(.*)$/.exec(
      header,
    ) ?? [];
  if (field === "") return undefined;
  const body = leading(below, (line) => depthOf(line) > 0);
  const about = [text, ...body.map((line) => line.trim())].join(" ").trim();
  const isReturn = field.startsWith("return");
  const isType = field === "type" || field === "rtype";
  return {
    lines: 1 + body.length,
    parameters: isReturn || isType || name === "" || about === "" ? [] : [[name, about]],
    returns: isReturn ? about : "",
  };
}

function leading(lines: readonly string[], belongs: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line) => !belongs(line));
  return end < 0 ? lines : lines.slice(0, end);
}

/** @param entry matches the line that starts a parameter: its name and the text after it */
function sectionOf(part: Part, lines: number, body: readonly string[], entry: RegExp): Section {
  const joined = body
    .map((line) => line.trim())
    .join(" ")
    .trim();
  return part === "returns"
    ? { lines, parameters: [], returns: joined }
    : { lines, parameters: entriesOf(body, entry), returns: "" };
}

/** Entries at the smallest indentation, each with the lines below it. */
function entriesOf(body: readonly string[], entry: RegExp): Section["parameters"] {
  const least = Math.min(...body.filter((line) => line !== "").map(depthOf));
  const found: [name: string, text: string][] = [];
  for (const line of body) {
    const [, name, text = ""] = (depthOf(line) === least && entry.exec(line.trim())) || [];
    const last = found.at(-1);
    if (name !== undefined) found.push([name, text]);
    else if (last) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return found.filter(([, text]) => text !== "");
}
