/** Arguments and results of the pack `llm`. */

/** Arguments of `llm.transform`. */
export interface TransformArgs {
  /** What to work on: text, or any data, which is sent as JSON. */
  input: unknown;
  /**
   * What to do with it.
   * @minLength 1
   * @maxLength 10000
   * @pattern \S
   * @example Extract the key findings as a list.
   */
  prompt: string;
  /**
   * Model of the endpoint; else llm.model of toolwright.yaml.
   * @minLength 1
   * @maxLength 200
   */
  model?: string;
  /** Ask for JSON and parse it. */
  json?: boolean;
  /**
   * Tokens of the answer at most.
   * @integer
   * @minimum 1
   * @maximum 32000
   */
  max_tokens?: number;
}

/** Tokens of one answer, as the endpoint counts them. */
export interface TokenUsage {
  /** @integer */
  prompt: number;
  /** @integer */
  completion: number;
}

/** Result of `llm.transform`. */
export interface Transformed {
  text: string;
  /** The text as data, where JSON was asked for. */
  json?: unknown;
  /** Model that answered. */
  model: string;
  /** Whether the answer stopped at max_tokens. */
  truncated: boolean;
  usage?: TokenUsage;
}
