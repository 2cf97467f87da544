/**
 * Python functions that check values before Monty uses them (`monty-guards.ts`). Names that a checked function
 * replaces keep a copy.
 */

import { VALUES } from "./monty-guard-values.js";
import { LACK } from "./monty-guards.js";
import { WIRE } from "./monty-values.js";

/**
 * Characters from 0x80 that CPython prints unescaped, besides letters and digits: common punctuation, symbols and
 * pictographs of Unicode 16. Monty knows a later version of Unicode.
 */
const SHOWN =
  "(161, 172), (174, 767), (8208, 8231), (8240, 8286), (8352, 8384), (8448, 8587), (8592, 9254), (9280, 9290), (9312, 11084), " +
  "(12289, 12350), (127744, 128727), (128732, 128748), (128752, 128764), (128768, 128886), (128891, 128985), (128992, 129003), " +
  "(129280, 129535)";

/** Ranges in which every character that Monty takes for a letter or a digit is one in Unicode 16, except a few. */
const KNOWN_LETTERS = [
  ["\\x7f", "\\ua7cd"],
  ["\\uac00", "\\ud7a3"],
  ["\\uff10", "\\uffdc"],
  ["\\U00020000", "\\U0002a6df"],
]
  .map(([first, last]) => `"${first}" <= c <= "${last}"`)
  .join(" or ");
const LATER_LETTERS = '"\\u088f\\u0c5c\\u0cdc"';

/**
 * Non-Latin characters for which Monty's string methods agree with CPython's: Greek, Cyrillic, Kana, Chinese,
 * punctuation, pictographs.
 */
const LETTERS = [
  ["\\u0386", "\\u03ce"],
  ["\\u0400", "\\u045f"],
  ["\\u2010", "\\u2027"],
  ["\\u3041", "\\u3096"],
  ["\\u30a1", "\\u30fa"],
  ["\\u4e00", "\\u9fa5"],
  ["\\U0001f300", "\\U0001f64f"],
]
  .map(([first, last]) => `"${first}" <= c <= "${last}"`)
  .join(" or ");

/** Checks of arguments of tools; separate, because most code needs no others. */
export const SENDING = `__wire = ${JSON.stringify(WIRE)}
__scalars = (__str, __type(0), __type(0.0), __type(True), __type(None), __type(b""))
__dates = ("date", "datetime", "timedelta", "Path", "PosixPath", "datetime.date", "datetime.datetime", "datetime.timedelta")
__real_type = __type(0.0)
def __got(v):
    return __json.loads(v[1]) if __type(v) is __type(()) and __len(v) == 2 and v[0] == __wire else v
def __is_whole(v):
    return v - v == 0 and __str(v)[-2:] == ".0"
def __exactly(v):
    t = __type(v)
    if t is __real_type:
        return (__wire, __str(v)) if __is_whole(v) else v
    if t is __dict:
        return {k: __exactly(x) for k, x in v.items()}
    if t in __nested or t.__name__ in ("set", "frozenset"):
        return [__exactly(x) for x in v]
    return v
def __sent(v):
    t = __type(v)
    if t is __real_type:
        return __exactly(v)
    if t in __scalars:
        return v
    todo = [v]
    seen = {}
    found = False
    while todo:
        v1 = todo.pop()
        t = __type(v1)
        if t is __real_type and __is_whole(v1):
            found = True
        if t in __scalars or t.__name__ in __dates or __id(v1) in seen:
            continue
        if t in __nested or t.__name__ in ("set", "frozenset") and __len(v1) < 2:
            seen[__id(v1)] = v1
            if t is __dict:
                todo.extend(__list(v1.keys()))
                todo.extend(__list(v1.values()))
            else:
                todo.extend(__list(v1))
        else:
            ${LACK}("such an argument")
    return __exactly(v) if found else v
def __named(v):
    if __type(v) is __dict and "__proto__" in v:
        ${LACK}("such an argument")
    return __sent(v)
`;

/** The other checks; they follow the capture of builtins under private names. */
export const CHECKS = `__float = float; __bool = bool; __set = set; __frozenset = frozenset; __none = __type(None)
__repr = repr; __print = print; __round = round; __sum = sum; __ord = ord; __error = Exception; __max = max; __any = any
__min = min; __divmod = divmod; __printed = 10 ** 4299; __exact = 9007199254740992
__small = 9223372036854775807
__numbers = (__int, __float)
__holding = (__list, __dict, __tuple, __set, __frozenset)
def __legible(s):
    for c in __set(s):
        if " " <= c <= "~" or c in "\\n\\t\\r" or c.isalnum() and (${KNOWN_LETTERS}) and c not in ${LATER_LETTERS}:
            continue
        n = __ord(c)
        if not __any([low <= n <= high for low, high in (${SHOWN})]):
            return False
    return True
def __shown(v):
    t = __type(v)
    if t is __str or t is __bool or v is None or t is __int and -__printed < v < __printed:
        return v
    todo = [v]
    seen = {}
    again = False
    while todo:
        v1 = todo.pop()
        t = __type(v1)
        if t is __int and not -__printed < v1 < __printed:
            ${LACK}("the text of such an integer")
        elif t is __str:
            if not __legible(v1):
                ${LACK}("the text of such a string")
        elif t is __float:
            if v1 != 0 and not (0.0001 <= v1 < 1e16 or -1e16 < v1 <= -0.0001):
                ${LACK}("the text of such a float")
            elif __len(__repr(v1)) > 16 and v1 * 33554432.0 % 1 == 0:
                ${LACK}("the text of a float between two others")
        elif t is __list or t is __tuple or t is __dict:
            if __id(v1) in seen:
                again = True
            else:
                seen[__id(v1)] = v1
                if t is __dict:
                    todo.extend(__list(v1.keys()))
                    todo.extend(__list(v1.values()))
                else:
                    todo.extend(v1)
        elif t is __set or t is __frozenset:
            if __len(v1) > 1:
                ${LACK}("the text of a set")
            todo.extend(__list(v1))
        elif t.__name__ in ("Path", "PosixPath"):
            if v1 is not v:
                ${LACK}("the text of a project's path inside another value")
        elif t is __int or t is __bool or v1 is None or t is __type(b"") or t.__name__ in ("type", "range"):
            if t.__name__ == "range" and __repr(v1).count(",") > 1:
                ${LACK}("the text of such a range")
        elif __isinstance(v1, __error):
            if t.__name__ in ("KeyError", "json.JSONDecodeError") or v1 is not v:
                ${LACK}("the text of a " + t.__name__)
        else:
            ${LACK}("the text of such a value")
    if (again or __len(seen) > 50) and not __shallow(v, 50):
        ${LACK}("the text of a value that nests so deep, or contains itself")
    return v
def __str_of(v):
    return __str(__shown(v))
def __inner(v):
    __shown([v])
    return v
def __repr_of(v):
    return __repr(__inner(v))
def __print_of(*values, **options):
    for v in values:
        __shown(v)
    __print(*values, **options)
def __whole(v):
    t = __type(v)
    if t is __float and not -__small < v < __small or t is __str and (__len(v) > 4000 or not v.isascii()):
        ${LACK}("int of such a value")
    return v
def __int_of(v):
    return __int(__whole(v))
def __real(v):
    if __type(v) is __str and ("_" in v or not v.isascii() or __len(v) > 40) or __type(v) is __int and not -__small < v < __small:
        ${LACK}("float of such a value")
    return v
def __float_of(v):
    return __float(__real(v))
def __sequence(v):
    if __type(v) is __set or __type(v) is __frozenset:
        ${LACK}("reversed of a set")
    return v
def __ascii(v):
    if __type(v) is __str and not v.isascii():
        ${LACK}("such a method of text beyond ASCII")
    return v
def __letters(v):
    if __type(v) is __str:
        for c in __set(v):
            if c > "\\u017f" and not (${LETTERS}) or "\\x1c" <= c <= "\\x1f":
                ${LACK}("such a method of such a text")
    return v
def __spaced(v):
    if __type(v) is __str and __any([c in v for c in "\\x1c\\x1d\\x1e\\x1f"]):
        ${LACK}("such a method of such a text")
    return v
def __lines(v):
    if __type(v) is __str and __any([c in v for c in "\\x0b\\x0c\\x1c\\x1d\\x1e\\x85\\u2028\\u2029"]):
        ${LACK}("splitlines of such a text")
    return v
def __string(v):
    if __type(v) is not __str:
        ${LACK}("a format of such a value")
    return v
def __integer(v):
    if __type(v) is not __int or not -__small < v < __small:
        ${LACK}("a format of such a value")
    return v
def __padded(v):
    return v if __type(v) is __str else __integer(v)
def __number(v):
    if __type(v) is not __float:
        return __integer(v)
    if v - v != 0:
        ${LACK}("a format of such a value")
    return v
def __grouped(digits):
    def grouped(v):
        text = __str(__integer(v)) if digits is None else f"{__number(v):.{digits}f}"
        sign = "-" if text[0] == "-" else ""
        text = text[__len(sign):]
        whole = text[:-digits - 1] if digits else text
        rest = text[__len(whole):]
        start = __len(whole) % 3
        parts = [whole[:start]] if start else []
        for at in __range(start, __len(whole), 3):
            parts.append(whole[at:at + 3])
        return sign + ",".join(parts) + rest
    return grouped
${VALUES}def __repeated(a, b, product):
    if __type(product) not in __numbers:
        for times in (a, b):
            if __type(times) is __int and times < -__small:
                ${LACK}("* of such an integer")
    return product
def __times(a, b):
    product = a * b
    return product if product else __repeated(a, b, product)
def __true(a, b):
    if __type(a) is __int and __type(b) is __int and not (-__exact <= a <= __exact and -__exact <= b <= __exact):
        ${LACK}("/ of such integers")
    return a / b
def __floor(a, b):
    ta = __type(a)
    tb = __type(b)
    if ta is not __float and tb is not __float:
        return a // b
    if not (ta in __numbers and tb in __numbers and 0 < a < 1e15 and 0 < b < 1e15):
        ${LACK}("// of such values")
    a = __float(a)
    b = __float(b)
    quotient = (a - a % b) / b
    if quotient >= 1e15:
        ${LACK}("// of such values")
    whole = __float(__int(quotient))
    return whole + 1.0 if quotient - whole > 0.5 else whole
def __chain(*parts):
    a = parts[0]
    for i in __range(1, __len(parts), 2):
        op = parts[i]
        b = parts[i + 1]
        if op == 0:
            so = __lt(a, b)
        elif op == 1:
            so = __le(a, b)
        elif op == 2:
            so = __gt(a, b)
        elif op == 3:
            so = __ge(a, b)
        elif op == 4:
            so = __eq(a, b)
        else:
            so = __ne(a, b)
        if not so:
            return so
        a = b
    return so
def __mod(a, b):
    if __type(a) is __int and __type(b) is __int:
        return a % b
    if __type(a) is __float and (__type(b) is __float or __type(b) is __int) and 0 < a < 1e300 and 0 < b < 1e300:
        return a % b
    if __type(a) is __int and __type(b) is __float and 0 <= a < 1e15 and 0 < b < 1e300:
        return a % b
    ${LACK}("% of such values")
def __divmod_of(a, b):
    if __type(a) is not __float and __type(b) is not __float:
        return __divmod(a, b)
    return (__floor(a, b), __mod(a, b))
def __pow(a, b):
    if __type(a) is __int and __type(b) is __int and b >= 0:
        return a ** b
    if __type(a) is __float and __type(b) is __int and 0 <= b <= 2:
        if b != 2:
            return a if b else 1.0
        if -67108864 < a * 1024 < 67108864 and a * 1024 % 1 == 0:
            return a * a
    ${LACK}("** of such values")
def __true_item(o, k, v):
    o[k] = __true(o[k], v)
def __floor_item(o, k, v):
    o[k] = __floor(o[k], v)
def __mod_item(o, k, v):
    o[k] = __mod(o[k], v)
def __pow_item(o, k, v):
    o[k] = __pow(o[k], v)
def __root(a, b):
    if __type(a) is __int and 0 <= a < 1000000000000:
        low = __int(__float(a))
        root = 0
        step = 1048576
        while step:
            if (root + step) * (root + step) <= low:
                root += step
            step = step // 2
        return root
    return __pow(a, b)
def __bits(a, b):
    if __type(a) is __bool or __type(b) is __bool or __type(a) is __type or __type(b) is __type or __type(a) is __dict or a is None or b is None:
        ${LACK}("an operator between such values")
def __and(a, b):
    __bits(a, b)
    return a & b
def __or(a, b):
    __bits(a, b)
    return a | b
def __xor(a, b):
    __bits(a, b)
    return a ^ b
def __times_by(held, value):
    if __type(held) is not __list:
        return __times(held, value)
    if __type(value) is not __int or value < -__small:
        ${LACK}("*= of such a value")
    if value > 0:
        held.extend(held * (value - 1))
    else:
        held.clear()
    return held
def __other(value):
    if __type(value) is not __set and __type(value) is not __frozenset:
        ${LACK}("a set changed by such a value")
    return value
def __or_by(held, value):
    if __type(held) is not __set:
        return __or(held, value)
    held.update(__other(value))
    return held
def __minus_by(held, value):
    if __type(held) is not __set:
        return held - value
    for v in __list(__other(value)):
        held.discard(v)
    return held
def __and_by(held, value):
    if __type(held) is not __set:
        return __and(held, value)
    __other(value)
    for v in __list(held):
        if v not in value:
            held.discard(v)
    return held
def __xor_by(held, value):
    if __type(held) is not __set:
        return __xor(held, value)
    added = [v for v in __other(value) if v not in held]
    for v in __list(value):
        held.discard(v)
    held.update(added)
    return held
def __times_by_item(o, k, v):
    o[k] = __times_by(o[k], v)
def __or_by_item(o, k, v):
    o[k] = __or_by(o[k], v)
def __and_by_item(o, k, v):
    o[k] = __and_by(o[k], v)
def __xor_by_item(o, k, v):
    o[k] = __xor_by(o[k], v)
def __minus_by_item(o, k, v):
    o[k] = __minus_by(o[k], v)
def __round_of(number, ndigits=None):
    t = __type(number)
    if t is __int and (ndigits is None or __type(ndigits) is __int and ndigits >= 0):
        return number
    if t is not __float or not -1e15 < number < 1e15:
        ${LACK}("round of such a value")
    if ndigits is None:
        return __round(number)
    if __type(ndigits) is not __int or not 0 <= ndigits <= 12:
        ${LACK}("round of such a value")
    return __float(f"{number:.{ndigits}f}")
def __sum_of(items, start=0):
    if __type(items) is __range and __type(start) is __int:
        return start + __len(items) * (items[0] + items[-1]) // 2 if __len(items) else start
    items = __list(__iter(items))
    for v in items:
        if __type(v) is __bool or __type(v) is __float:
            break
    else:
        return __sum(items, start)
    if __type(start) is not __int and __type(start) is not __float:
        ${LACK}("sum of such values")
    whole = start
    at = 0
    while at < __len(items) and __type(whole) is __int:
        v = items[at]
        at += 1
        if __type(v) is __bool:
            whole += 1 if v else 0
        elif __type(v) is __int or __type(v) is __float:
            whole = whole + v
        else:
            ${LACK}("sum of such values")
    if __type(whole) is __int:
        return whole
    if not -1e300 < whole < 1e300:
        ${LACK}("sum of such values")
    high = whole
    low = 0.0
    for v in items[at:]:
        t = __type(v)
        if t is not __float and t is not __int or not -1e300 < v < 1e300 or t is __int and not -__small < v < __small:
            ${LACK}("sum of such values")
        x = __float(v)
        s = high + x
        if (high if high > 0 else -high) >= (x if x > 0 else -x):
            low += (high - s) + x
        else:
            low += (x - s) + high
        high = s
    return high + low if low else high
`;
