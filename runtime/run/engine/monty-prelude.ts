/** Python that runs before the guest's code in Monty: captures builtins, defines `__ret`, and wraps the code. */

import type { Limits } from "../../config/run-settings.js";
import { CHECKS, SENDING } from "./monty-guard-prelude.js";
import { LACK } from "./monty-guards.js";
import { pickerOf } from "./monty-prelude-parts.js";

/** First item of the tuple that `__ret` returns, which distinguishes it from other values. */
export const MARK = "\u{e000}ret";

/** Captures builtins under private names, because code may rebind names such as `list`. */
const CAPTURE = [
  "type",
  "str",
  "len",
  "list",
  "sorted",
  "id",
  "dict",
  "range",
  "next",
  "StopIteration",
  "Exception",
  "isinstance",
  "int",
  "tuple",
]
  .map((name) => `__${name} = ${name}`)
  .join("; ");

/**
 * `__plain` converts any value to one that `json.dumps` accepts; `__shallow` checks, level by level, that a value is
 * free of cycles and within the depth limit, because `json.dumps` overflows the native stack beyond some 10,000
 * levels.
 */
const SOURCE = `import json as __json; ${CAPTURE}; __format__ = None; __sanitize__ = None; __name__ = "__main__"; __str_of = None
__digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
__containers = ("dict", "list", "tuple", "set", "frozenset", "range", "iterator", "dict_items", "dict_keys", "dict_values")
__lazy = ("range", "iterator", "dict_items", "dict_keys", "dict_values")
__nested = (__list, __dict, __type(()))
def __base64(v):
    out = []
    for i in __range(0, __len(v), 3):
        part = v[i:i + 3]
        n = (part[0] << 16) + (part[1] << 8 if __len(part) > 1 else 0) + (part[2] if __len(part) > 2 else 0)
        four = __digits[n >> 18] + __digits[n >> 12 & 63] + __digits[n >> 6 & 63] + __digits[n & 63]
        out.append(four if __len(part) == 3 else four[:__len(part) + 1] + "=" * (3 - __len(part)))
    return "".join(out)
def __is_row(k):
    if __type(k) is not __tuple:
        return False
    for x in k:
        if __type(x) is not __int and not (__type(x) is __str and x.isascii() and x.isalnum()):
            return False
    return True
def __key(k):
    if k is None:
        return "null"
    if k is True or k is False:
        return "true" if k else "false"
    if not __isinstance(k, (__str, __int)) and not __is_row(k):
        ${LACK}("such a key in a result")
    return __str(k)
def __drain(v):
    out = []
    while True:
        try:
            out.append(__next(v))
        except __StopIteration:
            return out
def __plain(v, depth, above):
    kind = __type(v).__name__
    if kind in ("str", "int", "bool", "NoneType"):
        return v
    if kind == "float":
        return v if v - v == 0 else None
    if kind == "bytes":
        return __base64(v)
    if kind in ("datetime", "datetime.datetime", "date", "datetime.date"):
        return v.isoformat()
    if kind in ("timedelta", "datetime.timedelta"):
        return v.total_seconds()
    if kind not in __containers:
        if kind in ("type", "Path", "PosixPath") or __isinstance(v, __Exception):
            return __str(v)
        ${LACK}("such a value as a result")
    if __id(v) in above:
        return "[...]"
    if depth >= __depth:
        return "..."
    above = above + [__id(v)]
    if kind == "dict":
        return {__key(k): __plain(x, depth + 1, above) for k, x in v.items()}
    items = __drain(v) if kind == "iterator" else __list(v)
    if kind in ("set", "frozenset") and __len(items) > 1:
        kinds = {__type(x).__name__ for x in items}
        if __len(kinds) > 1 or not ("str" in kinds or "int" in kinds):
            ${LACK}("the order of such a set")
        items = __sorted(items)
    return [__plain(x, depth + 1, above) for x in items]
def __shallow(v, most):
    level = {0: v} if __type(v) in __nested else {}
    depth = 0
    while level:
        depth += 1
        if depth > most:
            return False
        level = {__id(x): x for c in level.values() for x in (c.values() if __type(c) is __dict else c) if __type(x) in __nested}
    return True
def __dumps(v):
    return __json.dumps(v, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
def __ret(v=None):
    if v is None:
        return (__mark, "none", None, None, None, __format__, __sanitize__)
    text = None
    made = None
    shallow = __shallow(v, __depth)
    plain = v
    if shallow:
        try:
            made = __dumps(v)
        except __Exception:
            made = None
    if made is None:
        try:
            lazy = __type(v).__name__ in __lazy
            if lazy and __type(v).__name__ == "iterator":
                v = __drain(v)
            plain = __plain(v, 0, [])
            made = __dumps(plain)
            if shallow and not lazy:
                plain = v
        except __Exception:
            plain = v if shallow else "..."
    if __format__ == "raw":
        text = __str_of(v)
    if (made is not None and __len(made) > __bytes) or (text is not None and __len(text) > __bytes):
        return (__mark, "large", None, None, None, __format__, __sanitize__)
    return (__mark, "value", plain, made, text, __format__, __sanitize__)
`;

/** Parts of the prelude by what needs them: code starts faster without the others. */
const neededOf = pickerOf(SOURCE);
const checksOf = pickerOf(`${SENDING}${CHECKS}`);

/** Names that the end of the wrapped code reads. */
const MAGIC = ["__format__", "__sanitize__"];

/** The prelude that code needs. `__ret` makes a text of its value if the code sets `__format__`. */
function preludeFor(code: string): string {
  const checks = checksOf(code, /\b__format__\b/.test(code) ? ["__str_of"] : []);
  return `${neededOf(`${code}\n${checks}`, MAGIC)}${checks}`;
}

const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * Functions at module level: declared before the code, because Monty does not find them from a function further up.
 */
const FUNCTION = /^(?:async[ \t]+)?def[ \t]+([A-Za-z_]\w*)/gm;

/** Context of the wrapping. */
export interface Wrapping {
  /** Names that must keep their meaning: packs and builtins. */
  readonly taken: (name: string) => boolean;
  readonly projects: ReadonlyMap<string, string>;
  readonly limits: Limits;
}

/** Wraps code for Monty; returns it with the number of lines before the guest's own. */
export function wrapped(code: string, { taken, projects, limits }: Wrapping): { text: string; linesBefore: number } {
  const functions = new Set(Array.from(code.matchAll(FUNCTION), (one) => one[1] as string));
  const forward = [...functions].filter((name) => !taken(name)).map((name) => `${name} = None`);
  const paths = [...projects].filter(([name]) => IDENTIFIER.test(name)).map(projectLine);
  const first = [
    `__mark = ${JSON.stringify(MARK)}; __depth = ${limits.resultDepth}; __bytes = ${limits.resultBytes}`,
    ...(paths.length > 0 ? ["from pathlib import Path as __Path", ...paths] : []),
    ...forward,
  ];
  const before = `${first.join("; ")}\n${preludeFor(code)}`;
  return { text: `${before}${code}\n${AFTER}`, linesBefore: before.split("\n").length - 1 };
}

const AFTER = '(__mark, "novalue", None, None, None, __format__, __sanitize__)';

/** Defines a project in two forms: as an attribute of the pack, and as a name for rewritten code. */
const projectLine = ([name, path]: readonly [string, string]): string =>
  `__proj_${name} = __Path(${pythonText(path)}); proj.${name} = __proj_${name}`;

/** JSON escapes are valid in Python, too. */
const pythonText = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
