/**
 * The content blocks of one answer other than its text. Their bytes are sent once: in the block, or under a handle if the answer
 * would be too large for clients. The text says what and how large they are.
 */

import type { ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import { withNearestNumbers } from "../../call/arguments/exact.js";
import type { AttachedBlocks, ContentBlock, KeepText, KeptBytes } from "../../call/client-access.js";
import { canCall } from "../../catalog/advice.js";
import { isExact, mapMembers } from "../../contract/exact-number.js";
import type { Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import { RESULT_TOOL } from "../../contract/result-tool.js";
import { messageOf } from "../../contract/thrown.js";
import type { Gateway } from "../../gateway/gateway.js";

/** Most attached blocks of one answer, and their characters as JSON: clients of the official SDK read lines of 10 MB. */
const MAX_BLOCKS = 50;
const MAX_LENGTH = 6_000_000;
/** Shorter base64 may be a text by chance. */
const MIN_REPLACED_LENGTH = 200;

/** Keeps bytes that are too many for an answer, for its caller. */
export const keepFor =
  ({ gateway, principal }: Keeper, tool: string): KeepText =>
  async (text) => {
    const handle = await gateway.keepResult(text, tool, principal);
    const op = canCall(gateway.index.view(principal.grant))("ot.load") ? "ot.load" : RESULT_TOOL.op;
    return { handle, query: `${op}(handle='${handle}')` };
  };

interface Keeper {
  readonly gateway: Pick<Gateway, "keepResult" | "index">;
  readonly principal: Principal;
}

/** Where bytes are: the number of their block, from 1, or what reads them. */
type Place = { readonly block: number } | KeptBytes | { readonly lost: string };

/** Starts without a block. */
export function createAttachedBlocks(): AttachedBlocks {
  let blocks: ContentBlock[] = [];
  const places = new Map<string, Place>();
  const left = new Map<string, ContentBlock>();
  let length = 0;
  return {
    attach(block) {
      const bytes = bytesOf(block);
      if (bytes !== undefined && (places.has(bytes) || left.has(bytes))) return;
      const size = JSON.stringify(block).length;
      if (blocks.length < MAX_BLOCKS && length + size <= MAX_LENGTH) {
        length += size;
        // The protocol knows no exact numbers: an `annotations.priority` of `1.0` is 1.
        blocks.push(withNearestNumbers(block));
        if (bytes !== undefined) places.set(bytes, { block: blocks.length });
      } else if (bytes !== undefined) left.set(bytes, block);
    },
    blocks: () => blocks as unknown as WireBlock[],
    async withoutBytes(value, keep) {
      if (typeof value === "string" || places.size + left.size === 0) return value;
      for (const bytes of left.keys()) places.set(bytes, await placeOf(bytes, keep));
      left.clear();
      return replaced(value, places) as typeof value;
    },
    textWithoutBytes(text, isWhole = false) {
      const isShown = (block: ContentBlock): boolean => text.includes(bytesOf(block) ?? addressOf(block) ?? "");
      blocks = blocks.filter((block) => (!isWhole && bytesOf(block) !== undefined) || isShown(block));
      places.clear();
      for (const [at, block] of blocks.entries()) {
        const bytes = bytesOf(block);
        if (bytes !== undefined) places.set(bytes, { block: at + 1 });
      }
      return textReplaced(text, places);
    },
  };
}

/** The base64 of a block. */
function bytesOf({ data, resource }: ContentBlock): string | undefined {
  const bytes = isObject(resource) ? resource["blob"] : data;
  return typeof bytes === "string" && bytes !== "" ? bytes : undefined;
}

/** The address of a link. */
const addressOf = ({ type, uri }: ContentBlock): string | undefined =>
  type === "resource_link" && typeof uri === "string" ? uri : undefined;

async function placeOf(bytes: string, keep: KeepText): Promise<Place> {
  try {
    return await keep(bytes);
  } catch (error) {
    return { lost: messageOf(error) };
  }
}

const sizeOf = (base64: string): number => Buffer.byteLength(base64, "base64");

function replaced(value: unknown, places: ReadonlyMap<string, Place>): unknown {
  if (typeof value === "string") return textReplaced(value, places);
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  const bytes = isObject(value) ? value["bytes"] : undefined;
  const place = typeof bytes === "string" ? places.get(bytes) : undefined;
  if (!place) return mapMembers(value, (member) => replaced(member, places));
  const { bytes: _, ...rest } = value as JsonObject;
  return { ...rest, size: sizeOf(bytes as string), ...place };
}

/** A text without the bytes that have a place: written as JSON or as Python does, or the bytes alone. */
function textReplaced(text: string, places: ReadonlyMap<string, Place>): string {
  for (const [bytes, place] of places) if (text.includes(bytes)) text = placed(text, bytes, place);
  return text;
}

function placed(text: string, bytes: string, place: Place): string {
  const size = sizeOf(bytes);
  const isBlock = "block" in place;
  const named = isBlock
    ? text
        .replaceAll(`"bytes":"${bytes}"`, `"size":${size},"block":${place.block}`)
        .replaceAll(`"bytes": "${bytes}"`, `"size": ${size}, "block": ${place.block}`)
        .replaceAll(`'bytes': '${bytes}'`, `'size': ${size}, 'block': ${place.block}`)
    : text;
  if (bytes.length < MIN_REPLACED_LENGTH) return named;
  const where = isBlock ? `block ${place.block}` : "query" in place ? place.query : place.lost;
  return named.replaceAll(bytes, () => `<${size} bytes: ${where}>`);
}
