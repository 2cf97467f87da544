#: division by zero
a = 1
b = 0
a / b
#: key error of a text
d = {"a": 1}
d["it's"]
#: key error of a number
{}[1]
#: key error of a tuple
{}[(1, "a")]
#: index error
[1, 2][5]
#: pop from empty
[].pop()
#: type error in addition
"a" + 1
#: type error in comparison
None < 1
#: list index of wrong type
[1]["a"]
#: attribute error
"abc".foo()
#: attribute of none
r = demo.none()
r.items()
#: name error
undefined_thing + 1
#: name error in a function
def f():
    return nothing_here
f()
#: unbound local
x = 1
def f():
    x += 1
    return x
f()
#: value error of int
int("12a")
#: value error of float
float("")
#: unpack too few
a, b = [1]
#: unpack too many
a, b = 1, 2, 3
#: missing argument
def f(a, b): return a
f(1)
#: too many arguments
def f(a): return a
f(1, 2)
#: unexpected keyword
def f(a): return a
f(b=1)
#: not callable
5()
#: not iterable
for x in 5: pass
#: not subscriptable
(1).x[0]
#: assertion
assert 1 == 2, "not equal"
#: assertion without message
assert []
#: raise with a message
raise ValueError("bad input: " + "x")
#: raise without a message
raise RuntimeError
#: raise in a helper
def check(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return x
check(1)
check(-5)
#: error after output
print("one")
print("two")
[][0]
#: str of exceptions
out = []
for f in (lambda: 1 / 0, lambda: {}["k"], lambda: [][1], lambda: int("z"), lambda: "a" + 1, lambda: None.x):
    try:
        f()
    except Exception as e:
        out.append((type(e).__name__, str(e)))
out
#: repr of exceptions
[repr(ValueError("x")), repr(KeyError("k")), str(KeyError("k")), repr(ValueError()), str(ValueError(1, 2))]
#: args of an exception
try:
    raise ValueError("a", 1)
except ValueError as e:
    r = e.args
r
#: try else finally with return
def f(x):
    try:
        return 10 / x
    except ZeroDivisionError:
        return "inf"
    finally:
        print("done", x)
[f(2), f(0)]
#: nested try
try:
    try:
        int("x")
    except KeyError:
        r = "key"
except (TypeError, ValueError) as e:
    r = f"outer {e}"
r
#: reraise
try:
    [][0]
except IndexError:
    print("saw it")
    raise
#: exception groups by parent
try:
    {}["a"]
except LookupError as e:
    r = isinstance(e, KeyError)
r
#: recursion too deep
def f(n): return f(n + 1)
f(0)
#: system exit
raise SystemExit(3)
#: system exit by a function
import sys
sys.exit("bye")
#: missing module
import not_a_module
#: syntax error
x = (1 + 2
y = 3
#: indentation error
def f():
x = 1
#: error in a comprehension
[10 / x for x in [1, 2, 0]]
#: error in a nested function
def a(x): return b(x) + 1
def b(x): return x["k"]
a({"j": 1})
#: stop iteration
next(iter([]))
#: json error
import json
json.loads("{bad")
#: json error caught
import json
try:
    json.loads("[1,")
except json.JSONDecodeError as e:
    r = [type(e).__name__, e.pos, str(e)]
r
#: list remove missing
[1, 2].remove(3)
#: list index missing
[1, 2].index(3)
#: substring not found
"abc".index("z")
#: max of nothing
max([])
#: bad format
f"{'x':d}"
#: unhashable
{[1]: 2}
#: zip strict
list(zip([1, 2], [1], strict=True))
#: math domain
import math
math.sqrt(-1)
#: strptime fails
from datetime import datetime
datetime.strptime("nope", "%Y")
#: str and int joined
", ".join([1, 2])
#: sum of texts
sum(["a", "b"])
#: exception in finally order
def f():
    try:
        raise KeyError("first")
    finally:
        print("cleanup")
f()
#: sorted of mixed
sorted([3, "a", None])
#: del of an unknown name
del nope
#: add note
try:
    e = ValueError("x")
    e.add_note("more")
    raise e
except ValueError as err:
    r = err.__notes__
r
