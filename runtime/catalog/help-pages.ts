/** Keeps answers of `tool_help` within a number of bytes: what does not fit comes with the page that `next` asks for. */

import type { HelpCall } from "../contract/help.js";
import { isObject } from "../contract/json.js";
import type { JsonValue } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import type { DirectoryAnswer, ErrorAnswer, HelpAnswer, NotFoundAnswer, OpAnswer } from "./help-answers.js";

/** The last page of an answer. */
export const MAX_PAGE = 500;

/** Which part of an answer is asked for. */
export interface PageRequest {
  readonly page: number;
  /** Most bytes of an answer as JSON (`expose.answer_bytes`). */
  readonly bytes: number;
  /** The call that gave the answer, without its page. */
  readonly call: HelpCall;
}

/** Bytes of a value as JSON. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Whether a whole answer is within the bytes. */
const fits = (answer: HelpAnswer, bytes: number): boolean => bytesOf(answer) <= bytes;

/** Members that every page of an answer has. */
const HEAD: ReadonlySet<string> = new Set("type path registry_version kind denied at ops search".split(" "));
/** Longest message of the shortest failure, in characters. */
const MAX_MESSAGE_LENGTH = 60;

/** A member, or an item of a list, that a page shows whole. */
interface Piece {
  /** The name of the member, and the name of the list inside it, if it holds lists. */
  readonly names: readonly [string] | readonly [string, string];
  readonly value: JsonValue;
  readonly isItem: boolean;
  readonly index: number;
}

/**
 * A page of an answer about an op or a directory; the number of pages if there are fewer. Pages are those of the op's
 * own path, which `next` has: the name that was asked for stands in the first if there is room.
 */
export function answerPage<A extends OpAnswer | DirectoryAnswer>(answer: A, asked: PageRequest): A | number {
  if (asked.page === 1 && fits(answer, asked.bytes)) return answer;
  const { requested_path: requested, ...own } = answer as A & { readonly requested_path?: string };
  const page = ownPage(own as unknown as A, asked);
  if (typeof page === "number" || requested === undefined || asked.page > 1) return page;
  const { type, path, ...more } = page;
  const named = { type, path, requested_path: requested, ...more } as unknown as A;
  return fits(named, asked.bytes) ? named : page;
}

function ownPage<A extends OpAnswer | DirectoryAnswer>(answer: A, asked: PageRequest): A | number {
  if (fits(answer, asked.bytes)) return asked.page === 1 ? answer : 1;
  const head = headOf(answer);
  const { next, ...rest } = answer;
  const tail = { page: MAX_PAGE, pages: MAX_PAGE, next: { ...asked.call, page: MAX_PAGE } };
  const used = Math.max(bytesOf({ ...head, ...tail }), bytesOf({ ...head, ...tail, next }));
  const pages = pagesOf(piecesOf(rest), Math.max(MIN_ROOM, asked.bytes - used));
  const pieces = pages[asked.page - 1];
  const last = Math.min(pages.length, MAX_PAGE);
  if (!pieces || asked.page > last) return last;
  const onward = asked.page < last ? { ...asked.call, page: asked.page + 1 } : next;
  const body = assembled([...pieces].sort((a, b) => a.index - b.index));
  const { search, ...start } = head;
  const page = { ...start, ...body, page: asked.page, pages: last, ...(search === undefined ? {} : { search }) };
  return { ...page, ...(onward ? { next: onward } : {}) } as unknown as A;
}

/** Bytes of a page that are left for its pieces, at least. */
const MIN_ROOM = 200;

/** What every page repeats; a directory whose `next` is a search keeps it under another name. */
function headOf(answer: OpAnswer | DirectoryAnswer): Readonly<Record<string, unknown>> {
  const head = Object.entries(answer).filter(([name]) => HEAD.has(name));
  const hint = answer.type === "directory" && answer.next ? { search: answer.next } : {};
  return { ...Object.fromEntries(head), ...hint };
}

/** The members of an answer in the order in which pages show them; required arguments come with the usage. */
const ORDER =
  "summary usage required policy notes returns shape default examples args constraints errors items description see_also schema".split(
    " ",
  );

function rankOf({ names: [name], value }: Piece): number {
  const isRequired = name === "args" && isObject(value) && value["required"] === true;
  return ORDER.indexOf(isRequired ? "required" : name);
}

function piecesOf(answer: object): readonly Piece[] {
  const pieces: Piece[] = [];
  const add = (names: Piece["names"], value: JsonValue, isItem = false): void =>
    void pieces.push({ names, value, isItem, index: pieces.length });
  const addList = (names: Piece["names"], value: JsonValue): void => {
    if (!Array.isArray(value) || value.length === 0) add(names, value);
    else for (const one of value) add(names, one, true);
  };
  for (const [name, value] of Object.entries(answer) as [string, JsonValue][]) {
    if (HEAD.has(name)) continue;
    if (name !== "policy" || !isObject(value)) addList([name], value);
    else for (const [part, list] of Object.entries(value)) addList([name, part], list);
  }
  return pieces.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Bytes of names, brackets and commas around a piece. */
const AROUND = 16;

const costOf = ({ names, value }: Piece): number => bytesOf(value) + bytesOf(names) + AROUND;

/** Pieces by page. A piece that is larger than a page becomes texts. */
function pagesOf(pieces: readonly Piece[], room: number): readonly (readonly Piece[])[] {
  const pages: Piece[][] = [[]];
  let left = room;
  for (const piece of pieces.flatMap((one) => (costOf(one) > room ? inTexts(one, room) : [one]))) {
    const cost = costOf(piece);
    if (cost > left) {
      pages.push([]);
      left = room;
    }
    pages.at(-1)?.push(piece);
    left -= cost;
  }
  return pages;
}

/** A large text in parts, and any other large value as parts of its JSON. */
function inTexts({ names, value, index }: Piece, room: number): readonly Piece[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const of = names.join(".");
  const most = room - bytesOf({ of }) - bytesOf(["parts"]) - AROUND - '"text":""'.length;
  return chunksOf(text, most).map((one) => ({ names: ["parts"], value: { of, text: one }, isItem: true, index }));
}

/** Cuts a text into parts of at most so many bytes as JSON; no character is cut. */
function chunksOf(text: string, bytes: number): readonly string[] {
  const chunks: string[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  for (const mark of text) {
    const cost = markBytes(mark.codePointAt(0) ?? 0);
    if (used + cost > bytes && end > start) {
      chunks.push(text.slice(start, end));
      start = end;
      used = 0;
    }
    end += mark.length;
    used += cost;
  }
  return [...chunks, text.slice(start)];
}

/** Bytes of a character in JSON, at most: control characters and halves of a pair are escaped. */
function markBytes(code: number): number {
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code === 0x22 || code === 0x5c) return 2;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

function assembled(pieces: readonly Piece[]): Readonly<Record<string, unknown>> {
  const page: Record<string, unknown> = {};
  for (const { names, value, isItem } of pieces) {
    const [name, part] = names;
    if (part !== undefined) page[name] = page[name] ?? {};
    const holder = part === undefined ? page : (page[name] as Record<string, unknown>);
    const member = part ?? name;
    if (isItem) holder[member] = [...((holder[member] ?? []) as unknown[]), value];
    else holder[member] = value;
  }
  return page;
}

/** Entries of lists and characters of texts that a failure keeps, most first. */
const SHORTER = [
  [20, 200],
  [8, 120],
  [3, 60],
] as const;

/** A failure within the bytes, with the root as its next call if something was cut. */
export function fittingFailure<A extends NotFoundAnswer | ErrorAnswer>(answer: A, bytes: number): A {
  if (fits(answer, bytes)) return answer;
  const next: HelpCall = { path: "root" };
  for (const [entries, characters] of SHORTER) {
    const shorter = { ...(shortened(answer, entries, characters) as A), next };
    if (fits(shorter, bytes)) return shorter;
  }
  const error = {
    code: answer.error.code,
    message: clip(answer.error.message, MAX_MESSAGE_LENGTH),
    details: {},
    help_path: "root",
  };
  return { ...answer, ...("items" in answer ? { suggestions: [], items: [] } : {}), path: "", error, next };
}

function shortened(value: unknown, entries: number, characters: number): unknown {
  if (typeof value === "string") return clip(value, characters);
  if (Array.isArray(value)) return value.slice(0, entries).map((one) => shortened(one, entries, characters));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one, entries, characters)]));
}
