/** The sample that each process runs before it takes a program: see `warmUp` of the child. */

/**
 * Syntax and calls of many programs. Most functions of the interpreter are needed by all programs, so a longer sample
 * gains little and delays each start. It imports nothing, since it must open no file: files are not restored.
 */
const CODE = `class Row:
    kind = "row"

    def __init__(self, name, size=1):
        self.name, self.size = name, size

    def __repr__(self):
        return f"{self.name}: {self.size:>3}"

def rows():
    for name, size in zip("abc", (3, 1, 2)):
        yield Row(name, size)

found = {row.name: row.size for row in sorted(rows(), key=lambda row: row.size)}
try:
    found["missing"]
except KeyError as error:
    print(str(error))
found["n"] = demo.one(n=1)
__ret([found, [str(row).upper() for row in rows()], sum(found.values()) / 2, None])`;

const LIMITS = { resultBytes: 1_000_000, resultDepth: 64, recursion: 500 };
const REQUEST = { t: "run", code: CODE, packs: [["demo", [["one", null]]]], projects: [], limits: LIMITS };

/** Python that holds the request of the sample; part of the memory snapshot. */
export const SAMPLE = `SAMPLE = ${JSON.stringify(JSON.stringify(REQUEST))}`;
