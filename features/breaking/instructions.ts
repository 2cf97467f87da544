/**
 * Finds text of a tool that gives orders to the model instead of describing the tool: a server that was accepted once can attack
 * an agent this way later. Only new text is reported, since the old text was reviewed.
 */

import { escapePointer } from "../../runtime/contract/json-pointer.js";
import type { JsonSchema, JsonValue, Tool } from "../../runtime/contract/registry.js";
import type { DetectedChange } from "./finding.js";

/** Patterns of orders by name. Narrow on purpose: "always pass an id" is advice about the tool and must not match. */
const ORDERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    "sets other instructions aside",
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:previous|prior|earlier|above|other|all|any|system|your|these|those)\b[^.]{0,30}\b(?:instructions?|prompts?|rules?|messages?|guidelines?|polic(?:y|ies)|tools?|restrictions?|safety)\b/i,
  ],
  [
    "asks to keep something from the user",
    /\b(?:do\s*n[o']t|don[’']t|never|without|avoid|not)\s+(?:ever\s+)?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|show(?:ing)?|notify(?:ing)?|alert(?:ing)?|ask(?:ing)?|disclos(?:e|ing)|let)\b[^.]{0,40}\b(?:user|human|person|anyone|owner|operator)s?\b/i,
  ],
  [
    "asks for something before or after other tools",
    /\b(?:before|after|whenever|every time|each time|prior to|instead of)\b[^.]{0,40}\b(?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|run(?:s|ning)?|execut(?:e|es|ing)|any|every|all|each)\b[^.]{0,20}\b(?:any|every|all|each|other|another)\b[^.]{0,20}\b(?:tools?|functions?|servers?|commands?|ops?)\b/i,
  ],
  [
    "marks text as an order",
    /<\/?\s*(?:important|system|instructions?|critical|hidden|assistant|admin|override|prompt)\b[^>]{0,40}>|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]{2,20}\|>/i,
  ],
  [
    "speaks to the model about itself",
    /\b(?:you are now|you must now|from now on,? you|act as (?:an?|the)|pretend (?:to be|that)|as an? (?:ai|language model|assistant)|your (?:system prompt|new (?:task|role|instructions?)|true (?:purpose|goal)))\b/i,
  ],
  [
    "asks for files that are not its business",
    /\b(?:read|include|send|pass|attach|append|upload|provide|paste|copy|forward|post|put)\b[^.]{0,60}(?:~\/\.\w|\/etc\/(?:passwd|shadow)|\.ssh\/|\bid_rsa\b|\bmcp\.json\b|\bprivate keys?\b|\b(?:conversation|chat) (?:history|log)\b|\bsystem prompt\b)/i,
  ],
  [
    "asks for secrets that are not its business",
    /\b(?:read|include|send|pass|attach|append|upload|provide|paste|copy|forward|post|put)\b[^.]{0,40}\b(?:your|the user'?s?|their|all|stored|local|existing)\b[^.]{0,20}\b(?:environment variables|(?:api )?keys|credentials|passwords|secrets|cookies|tokens)\b/i,
  ],
  [
    "sends something elsewhere unseen",
    /\b(?:silently|secretly|covertly|quietly|discreetly)\s+(?:also\s+)?(?:send|forward|copy|upload|post|add|include|call|run|use|bcc|cc)\b|\bexfiltrat\w*|\bbcc\s+(?:it\s+|them\s+|everything\s+|a copy\s+)?(?:to\s+)?[\w.+-]+@/i,
  ],
  ["starts code from text", /\b(?:mcp__onetool__run|__onetool(?:__run)?|__ot(?:__run)?)\b/],
  // Tag, zero-width and direction characters, which hide text from people but not from models.
  ["hides characters", /[\u{E0000}-\u{E007F}\u200B\u2060-\u2064\u202A-\u202E\u2066-\u2069]/u],
];

/** All texts of a tool that a model reads, by JSON Pointer: empty for those of the tool itself, else below the input or result. */
function textsOf(tool: Tool): readonly (readonly [pointer: string, text: string])[] {
  const { title = "" } = tool.annotations;
  return [
    ["", `${tool.description}\n${title}`],
    ...proseIn(tool.parameters_schema, ""),
    ...(tool.result_schema ? proseIn(tool.result_schema, "") : []),
    ...(tool.learned_result ? proseIn(tool.learned_result.schema, "").map(asWords) : []),
  ];
}

/** A learned key comes from a server too; its words have no spaces. */
const asWords = ([pointer, text]: readonly [string, string]) => [pointer, text.replace(/[_-]+/g, " ")] as const;

/** All texts of a schema: descriptions, titles and listed values, which models read as well. A stack of its own, for schemas of any depth. */
function proseIn(root: JsonSchema, start: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const open: (readonly [string, JsonSchema | JsonValue | undefined])[] = [[start, root]];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [pointer, value] = entry;
    if (typeof value === "string") found.push([pointer, value]);
    if (typeof value !== "object" || value === null) continue;
    for (const [key, one] of Object.entries(value)) {
      const below = `${pointer}/${escapePointer(key)}`;
      if (!Array.isArray(value)) found.push([below, key]);
      open.push([below, one]);
    }
  }
  return found;
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

/** A match and the text after it. */
const from = (text: string, { index }: RegExpExecArray): string => text.slice(index, index + MAX_SENTENCE_LENGTH);

const MAX_SENTENCE_LENGTH = 160;

/** Orders that a tool gives now and did not give before. */
export function compareInstructions(before: Tool, after: Tool): readonly DetectedChange[] {
  const old = textsOf(before).map(([, text]) => fold(text));
  const isOld = new Set(old);
  return textsOf(after).flatMap(([pointer, raw]) => {
    const text = fold(raw);
    if (isOld.has(text)) return [];
    return ORDERS.flatMap(([name, pattern]): readonly DetectedChange[] => {
      const match = pattern.exec(text);
      if (!match || old.some((one) => one.includes(match[0]))) return [];
      return [{ rule: "instruction-added", pointer, at: name, after: from(text, match) }];
    });
  });
}
