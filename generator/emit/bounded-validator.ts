/**
 * Rewrites validators of Ajv whose work would grow faster than the value: comparison of all pairs of items, or of a
 * value with each of a long `enum`, shared schemas, copies of error lists.
 */

/** A rewritten validator, and the functions that it needs from `toolwright/codegen`. */
export interface Bounded {
  readonly body: string;
  readonly needs: readonly string[];
}

/** Code of Ajv that compares each item with all others. */
const PAIRS =
  /outer(\d+):\nfor\(;(i\d+)--;\)\{\nfor\((j\d+) = \2; \3--;\)\{\nif\(func\d+\((data\d*)\[\2\], \4\[\3\]\)\)\{/g;
/** Code of Ajv that compares a value with each of a long `enum`. */
const LISTED = /for\(const (v\d+) of (.+)\)\{\nif\(func\d+\((.+), \1\)\)\{\n(valid\d+) = true;\nbreak;\n\}\n\}/g;
/** Code of Ajv that copies all errors at each item with an error. */
const JOINED = /vErrors = vErrors === null \? ([\w.]+)\.errors : vErrors\.concat\(\1\.errors\);/g;
const WRAPPER = /^const (\w+) = \{validate: (validate\d+)\};$/gm;
/** A finding that is added to the list. */
const FOUND = /if\(vErrors === null\)\{\nvErrors = \[(err\d+)\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}/g;
/** The same for a finding that has no more than its place, keyword and parameters: the place of the rule is left out, since nothing reads it. */
const PLAIN_FOUND =
  /^const (err\d+) = \{instancePath(?::(.+?))?,schemaPath:"(?:[^"\\]|\\.)*",keyword:("\w+"),params:(\{.*\})\};\nvErrors = withFinding\(vErrors, \1\);$/gm;
const FUNCTION = /^function (validate\d+)\(data, (\{.*\}=\{\})\)\{$/gm;

/**
 * The code of one validator with bounded work.
 *
 * @param root the name of its outermost function
 * @param isCalled whether other validators call it
 */
export function boundedValidator(code: string, root: string, isCalled = false): Bounded {
  const linear = code
    .replace(
      PAIRS,
      (_, outer: string, i: string, j: string, data: string) =>
        `outer${outer}:\n{\n{\n[${i}, ${j}] = equalItems(${data});\nif(${i} > 0){`,
    )
    .replace(LISTED, "$4 = isOneOf($3, $2);")
    .replace(JOINED, "vErrors = joinedFindings(vErrors, $1.errors);")
    .replace(FOUND, "vErrors = withFinding(vErrors, $1);")
    .replace(
      PLAIN_FOUND,
      (_, _name: string, place = "instancePath", keyword: string, params: string) =>
        `vErrors = found(vErrors, ${place}, ${keyword}, ${params});`,
    );
  // Behind `unevaluatedProperties` and `$dynamicRef`, a verdict hangs on where it is asked for.
  const isPlaced = /\.evaluated\b|\bdynamicAnchors\b/.test(linear);
  const judge = isPlaced ? "judgedInSteps" : "judgedOnce";
  const shared = sharedFunctions(linear, root);
  const body = linear.replace(FUNCTION, (line, name: string, at: string) => {
    const counted = shared.has(name) || isPlaced || (isCalled && name === root);
    if (!counted && name !== root) return line;
    return `function ${name}(data, at={}){\nreturn ${counted ? judge : "judged"}(${name}, ${name}Once, data, at);\n}\nfunction ${name}Once(data, ${at}){`;
  });
  const needs = ["judged", judge, "joinedFindings", "equalItems", "isOneOf", "withFinding", "found"].filter((need) =>
    body.includes(`${need}(`),
  );
  return { body: withoutUnusedEqual(body), needs };
}

/** Functions that are called from several places, and, if there are any, the outermost one, which starts the validation. */
function sharedFunctions(code: string, root: string): ReadonlySet<string> {
  const wrapped = new Map([...code.matchAll(WRAPPER)].map(([, wrapper = "", name = ""]) => [wrapper, name]));
  const calls = new Map([[root, 1]]);
  for (const [, wrapper = "", direct] of code.matchAll(/(?<!function )\b(?:(\w+)\.validate|(validate\d+))\(/g)) {
    const name = direct ?? wrapped.get(wrapper);
    if (name !== undefined) calls.set(name, (calls.get(name) ?? 0) + 1);
  }
  const shared = [...calls].filter(([, count]) => count > 1).map(([name]) => name);
  return new Set(shared.length > 0 ? [root, ...shared] : []);
}

const withoutUnusedEqual = (code: string): string =>
  code.replace(/^const (func\d+) = require\("ajv\/dist\/runtime\/equal"\)\.default;\n/gm, (line, name: string) =>
    code.includes(`${name}(`) ? line : "",
  );
