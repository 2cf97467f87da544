/** Writes a call of an op as Python code. */

import { pythonLiteral } from "../../../contract/python-types.js";
import type { JsonObject } from "../../../contract/registry.js";

/** `onto.task.list(limit=5)`; an argument that is no Python name is passed in a dictionary. */
export function pythonCall(op: string, args: JsonObject): string {
  const given = Object.entries(args);
  const isName = ([name]: readonly [string, unknown]): boolean => /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name);
  const named = given.filter(isName).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
  const others = given.filter((one) => !isName(one));
  const rest = others.length === 0 ? [] : [`**${pythonLiteral(Object.fromEntries(others))}`];
  return `${op}(${[...named, ...rest].join(", ")})`;
}
