/** How Python is named: apart, so that a start of a server reads no more of it. */

/** For people. */
export const PYTHON_LABEL = "Python";

/** Words after the backticks of a code fence. */
export const PYTHON_FENCE_WORDS: readonly string[] = ["python", "python3", "py"];
