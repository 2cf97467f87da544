/** The usage of an op in one line. */

import type { Parameter, Tool } from "../../contract/registry.js";

/** `onto.task.list(project_id?: id<project>, limit?: integer 1..50)` */
export const usageLine = ({ op, parameters }: Pick<Tool, "op" | "parameters">): string =>
  `${op}(${parameters.map(usageOf).join(", ")})`;

const usageOf = ({ name, required, type }: Parameter): string => `${name}${required ? "" : "?"}: ${type}`;
