/**
 * Python functions that check comparisons, keys, members, iterables, caught exceptions and JSON before Monty uses
 * them.
 */

import { LACK } from "./monty-guards.js";

/** Part of the checks; the builtins that it uses are captured before it. */
export const VALUES = `def __numeric(values):
    todo = __list(values)
    floats = False
    large = False
    seen = {}
    while todo:
        v = todo.pop()
        t = __type(v)
        if t is __str:
            continue
        if t is __float:
            floats = True
            if v != v:
                ${LACK}("a comparison with nan")
        elif t is __int:
            large = large or not -__exact <= v <= __exact
        elif t is __list or t is __tuple or t is __set or t is __frozenset or t is __dict:
            if __id(v) not in seen:
                seen[__id(v)] = v
                todo.extend(v.values() if t is __dict else v)
                if t is __dict:
                    todo.extend(v.keys())
    if floats and large:
        ${LACK}("a whole number of this size beside a float")
def __compared(a, b):
    ta = __type(a)
    tb = __type(b)
    if ta is tb and (ta is __int or ta is __str or ta is __float):
        return True
    if ta in __numbers and tb in __numbers:
        if ta is __int and not -__exact <= a <= __exact or tb is __int and not -__exact <= b <= __exact:
            ${LACK}("a whole number of this size beside a float")
        return True
    if ta in __holding and tb in __holding:
        __numeric((a, b))
    return False
def __ordered(a, b):
    if not (a < b or a >= b) and not (__type(a) in __numbers and __type(b) in __numbers):
        ${LACK}("a comparison of such values")
def __lt(a, b):
    t = __type(a)
    if t is __type(b) and (t is __int or t is __float or t is __str) or __compared(a, b) or a < b:
        return a < b
    __ordered(a, b)
    return False
def __gt(a, b):
    t = __type(a)
    if t is __type(b) and (t is __int or t is __float or t is __str) or __compared(a, b) or a > b:
        return a > b
    __ordered(a, b)
    return False
def __le(a, b):
    t = __type(a)
    if t is __type(b) and (t is __int or t is __float or t is __str) or __compared(a, b) or a <= b:
        return a <= b
    __ordered(a, b)
    return False
def __ge(a, b):
    t = __type(a)
    if t is __type(b) and (t is __int or t is __float or t is __str) or __compared(a, b) or a >= b:
        return a >= b
    __ordered(a, b)
    return False
def __eq(a, b):
    __compared(a, b)
    return a == b
def __ne(a, b):
    __compared(a, b)
    return a != b
def __within(a, b):
    ta = __type(a)
    if ta is __str or ta is __int and -__exact <= a <= __exact or ta is __none or ta is __bool:
        return
    if ta in __numbers or ta in __holding:
        if __type(b) not in __holding:
            ${LACK}("such a value in such a value")
        __numeric((a, b))
def __in(a, b):
    __within(a, b)
    return a in b
def __not_in(a, b):
    __within(a, b)
    return a not in b
def __sought(v):
    t = __type(v)
    if t is __float or t in __holding or t is __int and not -__exact <= v <= __exact:
        ${LACK}("a search for such a value")
    return v
def __comparable(items):
    if __type(items) is __str:
        return items
    if __type(items) is not __list:
        items = __list(items)
    __numeric(items)
    return items
def __to_sort(items):
    if __type(items) is __list:
        __numeric(items)
    return items
def __keyed(function):
    if function is None:
        return None
    seen = [False, False]
    def keyed(*values):
        key = function(*values)
        t = __type(key)
        if t is __int and -__exact <= key <= __exact or t is __str:
            return key
        for v in key if t is __tuple else (key,):
            t = __type(v)
            if t is __float:
                seen[0] = True
                if v != v:
                    ${LACK}("a comparison with nan")
            elif t is __int and not -__exact <= v <= __exact:
                seen[1] = True
            elif t in __holding:
                ${LACK}("a key that nests")
        if seen[0] and seen[1]:
            ${LACK}("a whole number of this size beside a float")
        return key
    return keyed
def __iter(v):
    t = __type(v)
    if (t is __set or t is __frozenset) and __len(v) > 1:
        ${LACK}("the order of a set")
    return v
def __sorted_of(items, **options):
    if "key" in options:
        __iter(items)
    return __sorted(__comparable(items), **options)
def __picked(values, options):
    if __len(values) != 1:
        __numeric(values)
        return values
    if "key" in options:
        __iter(values[0])
    return [__comparable(values[0])]
def __min_of(*values, **options):
    return __min(*__picked(values, options), **options)
def __max_of(*values, **options):
    return __max(*__picked(values, options), **options)
def __member(k):
    t = __type(k)
    if t is __str or t is __int:
        return k
    if t is __bool or t is __float and not (0.0001 <= k < 1e16 and k % 1 != 0):
        ${LACK}("such a key")
    if t is __tuple:
        for one in k:
            __member(one)
    return k
def __members(items):
    t = __type(items)
    if t is __str or t is __dict or t is __range or t is __set or t is __frozenset:
        return items
    if t is not __list and t is not __tuple:
        items = __list(items)
    for one in items:
        __member(one)
    return items
def __pairs(items):
    if __type(items) is __dict:
        return items
    items = __list(items)
    for one in items:
        if __type(one) is not __str and __len(one) > 0:
            __member(one[0])
    return items
def __popped(v):
    return __iter(v)
def __in_order(v):
    return __members(__iter(v))
def __caught(error, raised):
    name = __type(error).__name__
    if name in ("KeyError", "IndexError", "ZeroDivisionError", "AssertionError") or __type(error) in raised:
        return
    text = __str(error)
    if name == "json.JSONDecodeError" and "recursion" not in text:
        return
    if name == "ValueError" and (text.startswith("invalid literal for int()") or text.startswith("could not convert string to float")):
        return
    ${LACK}("this exception, which is caught", name, text)
def __jsonable(v):
    todo = [v]
    seen = {}
    while todo:
        v1 = todo.pop()
        t = __type(v1)
        if t is __float:
            if v1 - v1 != 0:
                ${LACK}("json.dumps of such a float")
            __shown(v1)
        elif t is __list or t is __tuple:
            if __id(v1) not in seen:
                seen[__id(v1)] = v1
                todo.extend(v1)
        elif t is __dict:
            if __id(v1) not in seen:
                seen[__id(v1)] = v1
                for k in v1:
                    if __type(k) is not __str:
                        ${LACK}("json.dumps of such a key")
                todo.extend(v1.values())
        elif t is __int:
            __shown(v1)
        elif t is not __str and t is not __bool and v1 is not None:
            ${LACK}("json.dumps of such a value")
    if __len(seen) > 50 and not __shallow(v, 50):
        ${LACK}("json.dumps of a value that nests so deep")
    return v
def __json_text(v):
    if __type(v) is not __str or "NaN" in v or "Infinity" in v or "\\\\ud" in v or "\\\\uD" in v:
        ${LACK}("json.loads of such a text")
    return v
`;
