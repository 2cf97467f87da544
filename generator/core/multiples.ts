/**
 * The keyword `multipleOf`, as numbers are written in decimal. Ajv compares the quotient with its whole part as text, so it refuses 0.3
 * for 0.1, 19.99 for 0.01 and 1e21 for 1.
 */

import type { _, Ajv } from "ajv";

/** How far a quotient of decimal fractions may be off, as a share of it: both numbers and the division are rounded. */
const ROUNDING = 2 * Number.EPSILON;

/** Whether a step is a fraction of a power of two: then the remainder of a division is exact. */
const isExact = (step: number): boolean => Number.isInteger(step * 2 ** 20);

/** Whether a number is a multiple of a step. A quotient that is no number is no multiple. */
export function isMultipleOf(value: number, step: number): boolean {
  if (isExact(step)) return value % step === 0;
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= ROUNDING * Math.abs(quotient);
}

/** Replaces Ajv's keyword; the code that is printed is that of {@link isMultipleOf}. */
export function withMultiples(ajv: Ajv, code: typeof _): Ajv {
  ajv.removeKeyword("multipleOf");
  return ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    before: "format",
    error: { message: "must be a multiple", params: ({ schema }) => code`{multipleOf: ${schema}}` },
    code(context) {
      const { data, schema } = context;
      const quotient = code`${data} / ${schema}`;
      context.fail(
        isExact(schema)
          ? code`${data} % ${schema} !== 0`
          : code`!(Math.abs(${quotient} - Math.round(${quotient})) <= ${ROUNDING} * Math.abs(${quotient}))`,
      );
    },
  });
}
