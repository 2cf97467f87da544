#: f-string formats
n = 1234567.891
print(f"{n:,.2f}|{n:.1e}|{42:05d}|{42:#x}|{0.256:.1%}|{'a':>5}|{'b':^5}|{'c':<5}|{'d':*^7}|{5:+d}")
#: f-string of floats
print(f"{3.0}", f"{1/3:.3f}", f"{2.5:.0f}", f"{3.5:.0f}", f"{1e-7}", f"{1e20}", f"{0.1 + 0.2}")
#: f-string width of numbers
for name, v in [("a", 1.5), ("bb", 22)]:
    print(f"{name:<5}|{v:>8}|{v:>8.2f}|")
#: f-string nested and repr
w, p = 10, 3
s = "q"
print(f"{3.14159:{w}.{p}f}|{s!r}|{s!r:>6}|{'{}'}|{{x}}|{s=}")
#: f-string with dict and call
d = {"k": [1, 2]}
f"{d['k'][0]} {len(d)} {', '.join(str(x) for x in d['k'])} {'yes' if d else 'no'}"
#: str.format
["{} {:>4} {name!r:>5}".format("ab", 2, name="x"), "{0[0]} {1:,}".format("ab", 1234), "{:.2f}".format(2.675)]
#: percent formatting
print("%s is %d years, %.2f%% %05d %-5s| %r %x" % ("Al", 30, 12.345, 42, "l", "r", 255))
"%(a)s-%(b)03d" % {"a": 1, "b": 2}
#: percent of numbers
[7 % 3, -7 % 3, 7 % -3, 7.5 % 2, -7.5 % 2, "%d%%" % 50]
#: template
from string import Template
Template("$who likes ${what}s").substitute(who="Al", what="pie")
#: string methods
s = "  Hello, World  "
[s.strip(), s.lower().strip(), s.replace("l", "L", 1), s.split(","), s.find("W"), s.count("l"), s.strip().startswith(("He", "x")), s.title()]
#: more string methods
["abc".center(8, "*"), "a".ljust(3) + "|", "7".zfill(3), "-7".zfill(4), "a-b_c".partition("-"), "a.b.c".rsplit(".", 1), "Abc".swapcase(), "tEST".capitalize()]
#: prefixes
["unhappy".removeprefix("un"), "file.txt".removesuffix(".txt"), "a\tb".expandtabs(4), "x=1;y=2".split(";"), " a  b ".split(), "a,b,".split(",")]
#: predicates
["abc1".isalnum(), "12".isdigit(), "ab".isalpha(), " ".isspace(), "Ab".isupper(), "Title Case".istitle(), "²".isdigit(), "x1".isidentifier()]
#: translate
"hello".translate(str.maketrans({"l": "1", "o": None}))
#: splitlines
"a\nb\r\nc\x0bd\u2028e".splitlines()
#: slugs
title = "Hello, World! This is Great"
"-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
#: unicode
s = "naïve 日本 🎉"
[len(s), s.upper(), s[::-1], s.encode("utf-8").hex()[:10], ord("é"), chr(233), "ß".upper(), "ß".title(), "ǆ".title(), "straße".casefold()]
#: unicode names and normal forms
import unicodedata
[unicodedata.normalize("NFD", "é") == "é", unicodedata.name("é"), len(unicodedata.normalize("NFD", "é"))]
#: repr of texts
print(["it's", 'say "hi"', "a\nb\t", "\x00\x7f", "é\u200b", "\\"])
#: escapes
print("tab\there", r"raw\n", "uni\u00e9", "a\\b", "\x41\101")
#: multi-line text
s = """line one
  line two
line three"""
[len(s.split("\n")), s.splitlines()[1].strip()]
#: textwrap
import textwrap
print(textwrap.dedent("""
    a
      b
""").strip())
print(textwrap.fill("the quick brown fox jumps", 12))
textwrap.shorten("hello big wide world", 12)
#: regex groups
import re
m = re.search(r"(?P<user>[\w.]+)@(?P<host>[\w.]+)", "to al.b@ex.org now")
[m.group("user"), m["host"], m.groups(), m.groupdict(), m.span()]
#: regex sub with function
import re
re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1 b22 c333")
#: regex findall and split
import re
[re.findall(r"(\w)=(\d)", "a=1,b=2"), re.split(r"[,;]\s*", "a, b;c"), re.split(r"(-)", "a-b"), re.findall(r"a*", "baac")]
#: regex flags
import re
text = "Error: one\nwarn: two\nERROR: three\n"
[re.findall(r"^error: (\w+)$", text, re.I | re.M), bool(re.search("three$", text)), re.sub(r"(?m)^", "> ", "a\nb")]
#: regex backreference
import re
[re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.match(r"(a)(b)?", "a").groups(), re.escape("a.b")]
#: base64 and hashes
import base64, hashlib
[base64.b64encode(b"hi there").decode(), base64.b64decode("aGk=").decode(), hashlib.sha256(b"x").hexdigest()[:12], hashlib.md5(b"").hexdigest()]
#: urls
from urllib.parse import urlparse, parse_qs, quote, urlencode
u = urlparse("https://a.b/c/d?x=1&y=2#f")
[u.netloc, u.path, parse_qs(u.query), quote("a b/é"), urlencode({"q": "a b", "n": 1})]
#: csv
import csv, io
rows = list(csv.DictReader(io.StringIO("name,n\nal,1\n\"b,c\",2\n")))
rows
#: html
import html
[html.escape("<a & b>"), html.unescape("&lt;p&gt;")]
#: print options
print(1, "a", None, [1], sep=" | ", end="!\n")
print()
print("x", "y", sep="")
print(*range(3), sep=",")
#: print of nested containers
print({"a": [1, (2,), {"b": None}], "c": (), "d": 1.0})
#: join of mixed
", ".join(map(str, [1, 2.5, None, True, "x"]))
#: table
rows = [("apple", 3, 0.5), ("kiwi", 12, 0.25)]
w = max(len(r[0]) for r in rows)
for n, q, p in rows:
    print(f"{n.ljust(w)} {q:>3} {q * p:6.2f}")
#: caesar
"".join(chr((ord(c) - 97 + 3) % 26 + 97) if c.isalpha() else c for c in "xyz abc")
#: word count
text = "the cat and the dog and the bird"
counts = {}
for w in text.split():
    counts[w] = counts.get(w, 0) + 1
sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:3]
#: palindrome
def is_pal(s):
    t = [c.lower() for c in s if c.isalnum()]
    return t == t[::-1]
[is_pal("A man, a plan, a canal: Panama"), is_pal("no")]
#: string comparison
["a" < "b", "Z" < "a", "abc" < "abd", "" < "a", "10" < "9", max("a", "b")]
#: multiplication and membership
["=" * 10, "ab" in "cabd", "" in "x", "a" * 0, not "", "a" "b"]
