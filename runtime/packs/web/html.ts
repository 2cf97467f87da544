/**
 * Converts foreign HTML to small, well-formed HTML: one pass, no tree, every dimension limited, so that later steps (a
 * tree, the reader, Markdown) cannot take long. Scripts, styles, frames and invisible content are left out, since
 * hidden text is where prompt injections are usually placed.
 */

/** Limits of a page. */
export interface HtmlBounds {
  /** Most elements and escaped characters that are processed: each becomes a node of the tree. */
  readonly nodes: number;
  /** Most characters of text, with runs of blanks counted as one. */
  readonly text: number;
}

/** A link of a page. */
export interface PageLink {
  readonly text: string;
  readonly url: string;
}

/** A page within the limits. */
export interface CleanPage {
  readonly title: string;
  /** Well-formed: the head contains title and metas, the body the rest. */
  readonly html: string;
  /** Distinct http and https links in order. */
  readonly links: readonly PageLink[];
  /** Whether a limit was reached. */
  readonly cut: boolean;
}

/**
 * Nesting levels that are kept; deeper elements contribute only their text. Readers recurse, and real pages stay below
 * 60.
 */
const MAX_ELEMENT_DEPTH = 64;
/** The parser gets the page in parts, so that the time is checked in between. */
const PART_LENGTH = 16_384;
/** Time limit of one page in milliseconds; only hostile pages come near. */
const MAX_PAGE_MS = 500;
const MAX_LINKS = 200;
const MAX_LINK_TEXT_LENGTH = 200;
const MAX_TITLE_LENGTH = 300;
const MAX_VALUE_LENGTH = 2000;
const MAX_METAS = 100;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const DROPPED = words(
  "script style noscript template svg math iframe frame frameset object embed applet canvas audio video select datalist textarea",
);
/** Elements that are not written; their content is kept, or represented elsewhere. */
const UNWRITTEN = words(
  "html head body title meta base font center nobr link input source track param col colgroup wbr basefont",
);
const ELEMENT = /^[a-z][a-z0-9]{0,15}$/;
const VOID = words("br hr img");
const KEPT = words("alt class id itemprop role colspan lang dir start");
const META = words("name property content itemprop");
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (one: string): string => ESCAPES[one] ?? one;
const escapeText = (text: string): string => text.replace(/[&<>]/g, escaped);
const escapeValue = (text: string): string => text.replace(/[&"]/g, escaped);

/** Text on one line, with runs of blanks replaced by one. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Reads a page within limits.
 *
 * @param base - base URL of relative links, unless the page sets another
 */
export async function cleanHtml(html: string, base: string, bounds: HtmlBounds): Promise<CleanPage> {
  const { Parser } = await import("htmlparser2");
  const page = blankPage(base, bounds);
  const parser = new Parser({
    onopentag: (name, attributes) => opened(page, name, attributes),
    onclosetag: (name) => closed(page, name),
    ontext: (text) => wrote(page, text),
  });
  const end = performance.now() + MAX_PAGE_MS;
  let at = 0;
  for (; at < html.length && !isFull(page) && performance.now() < end; at += PART_LENGTH)
    parser.write(html.slice(at, at + PART_LENGTH));
  if (at >= html.length) parser.end();
  return finished(page, at < html.length);
}

type Attributes = Readonly<Record<string, string>>;

/** State while a page is written: the parser closes what it opened, in order. */
interface Writing {
  readonly bounds: HtmlBounds;
  base: string;
  title: string;
  titles: number;
  inTitle: boolean;
  readonly metas: string[];
  readonly body: string[];
  /** Names of the open elements; `undefined` for one that was not written. */
  readonly open: (string | undefined)[];
  /** Number of open elements that were written. */
  depth: number;
  preformatted: number;
  /** Open elements within a removed one, including it. */
  dropping: number;
  nodes: number;
  length: number;
  /** From here on only links are kept. */
  cut: boolean;
  readonly links: Map<string, string>;
  link: { readonly url: string; text: string } | undefined;
}

const blankPage = (base: string, bounds: HtmlBounds): Writing => ({
  bounds,
  base,
  title: "",
  titles: 0,
  inTitle: false,
  metas: [],
  body: [],
  open: [],
  depth: 0,
  preformatted: 0,
  dropping: 0,
  nodes: 0,
  length: 0,
  cut: false,
  links: new Map(),
  link: undefined,
});

const isFull = ({ nodes, bounds }: Writing): boolean => nodes > bounds.nodes;

function opened(page: Writing, name: string, attributes: Attributes): void {
  page.nodes++;
  if (page.dropping > 0 || isDropped(name, attributes)) {
    page.dropping++;
    return;
  }
  if (name === "title") openTitle(page);
  else if (name === "meta") addMeta(page, attributes);
  else if (name === "base") page.base = absolute(attributes["href"], page.base) ?? page.base;
  else if (name === "a") page.link = linkOf(absolute(attributes["href"], page.base));
  else if (name === "pre") page.preformatted++;
  page.open.push(writeTag(page, name, attributes) ? name : undefined);
}

function openTitle(page: Writing): void {
  page.titles++;
  page.inTitle = true;
}

function closed(page: Writing, name: string): void {
  if (page.dropping > 0) {
    page.dropping--;
    return;
  }
  const written = page.open.pop();
  if (written !== undefined) {
    page.body.push(`</${written}>`);
    page.depth--;
  }
  if (name === "title") page.inTitle = false;
  else if (name === "a") keepLink(page);
  else if (name === "pre") page.preformatted--;
}

function wrote(page: Writing, text: string): void {
  if (page.dropping > 0) return;
  if (page.inTitle) {
    if (page.titles === 1 && page.title.length < MAX_VALUE_LENGTH) page.title += text;
    return;
  }
  if (page.link && page.link.text.length < MAX_VALUE_LENGTH) page.link.text += text;
  if (page.cut) return;
  const kept = page.preformatted > 0 ? text : text.replace(/\s+/g, " ");
  const room = page.bounds.text - page.length;
  page.body.push(escapeText(kept.slice(0, room)));
  page.nodes += kept.match(/[&<>]/g)?.length ?? 0;
  page.length += Math.min(kept.length, room);
  page.cut = kept.length > room && kept.slice(room).trim() !== "";
}

/** Writes a tag unless it is unwanted, too deep, or beyond the limit; whether it needs an end tag. */
function writeTag(page: Writing, name: string, attributes: Attributes): boolean {
  if (UNWRITTEN.has(name) || !ELEMENT.test(name) || page.cut || page.depth >= MAX_ELEMENT_DEPTH) return false;
  page.body.push(`<${name}${attributesOf(attributes, page.base)}>`);
  if (VOID.has(name)) return false;
  page.depth++;
  return true;
}

function keepLink(page: Writing): void {
  const { link, links } = page;
  page.link = undefined;
  if (link && !links.has(link.url) && links.size < MAX_LINKS)
    links.set(link.url, oneLine(link.text).slice(0, MAX_LINK_TEXT_LENGTH));
}

function addMeta({ metas }: Writing, attributes: Attributes): void {
  if (metas.length >= MAX_METAS) return;
  const kept = Object.entries(attributes).filter(([name]) => META.has(name));
  metas.push(`<meta${kept.map(([name, value]) => attribute(name, value)).join("")}>`);
}

function finished(page: Writing, interrupted: boolean): CleanPage {
  const closing = page.open.toReversed().map((name) => (name === undefined ? "" : `</${name}>`));
  const title = oneLine(page.title).slice(0, MAX_TITLE_LENGTH);
  const head = `<title>${escapeText(title)}</title>${page.metas.join("")}`;
  return {
    title,
    html: `<!doctype html><html><head>${head}</head><body>${page.body.join("")}${closing.join("")}</body></html>`,
    links: [...page.links].map(([url, text]) => ({ text, url })),
    cut: page.cut || interrupted,
  };
}

function isDropped(name: string, attributes: Attributes): boolean {
  if (DROPPED.has(name)) return true;
  if (name === "html" || name === "body") return false;
  return "hidden" in attributes || HIDDEN.test(attributes["style"]?.slice(0, MAX_VALUE_LENGTH) ?? "");
}

const linkOf = (url: string | undefined) => (url === undefined ? undefined : { url, text: "" });

const attribute = (name: string, value: string): string =>
  ` ${name}="${escapeValue(value.slice(0, MAX_VALUE_LENGTH))}"`;

function attributesOf(attributes: Attributes, base: string): string {
  let text = "";
  for (const name of KEPT) if (Object.hasOwn(attributes, name)) text += attribute(name, attributes[name] ?? "");
  for (const name of ["href", "src"]) {
    const url = Object.hasOwn(attributes, name) ? absolute(attributes[name], base) : undefined;
    if (url !== undefined) text += attribute(name, url);
  }
  return text;
}

/** An absolute http or https URL; `undefined` for any other, such as `javascript:` and `data:`. */
function absolute(reference: string | undefined, base: string): string | undefined {
  if (reference === undefined || reference.length > MAX_VALUE_LENGTH || !URL.canParse(reference, base))
    return undefined;
  const { protocol, href } = new URL(reference, base);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}
