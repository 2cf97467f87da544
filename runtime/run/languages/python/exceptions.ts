/** Exceptions of Python that calls raise. */

/** Exceptions that keep their type in a program; all others become RuntimeError there. */
export const BUILTIN_EXCEPTIONS = [
  "ArithmeticError",
  "AssertionError",
  "AttributeError",
  "ConnectionError",
  "FileNotFoundError",
  "IndexError",
  "KeyError",
  "LookupError",
  "NameError",
  "NotImplementedError",
  "OSError",
  "OverflowError",
  "PermissionError",
  "RuntimeError",
  "TimeoutError",
  "TypeError",
  "ValueError",
  "ZeroDivisionError",
] as const;

/** Name of an exception that keeps its type in a program. */
export type BuiltinException = (typeof BUILTIN_EXCEPTIONS)[number];

/** The exception of this name, if it keeps its type. */
export const builtinException = (name: unknown): BuiltinException | undefined =>
  BUILTIN_EXCEPTIONS.find((one) => one === name);
