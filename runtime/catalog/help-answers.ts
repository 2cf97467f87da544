/** The answers of `tool_help`. */

import type { ErrorBody } from "../contract/error-body.js";
import type { HelpCall, OpHelp } from "../contract/help.js";
import type { DirectoryItem } from "./directory.js";

/** Help about one op. */
export interface OpAnswer extends OpHelp {
  /** Present if the op was found under another name. */
  readonly requested_path?: string;
  /** Present if a call would be refused because `allow_write` is off. */
  readonly denied?: true;
  /** The ops of the group with the same path, if there is such a group. */
  readonly items?: readonly DirectoryItem[];
}

/** A directory, with the ops whose help this session has read. */
export interface DirectoryAnswer {
  readonly type: "directory";
  readonly path: string;
  readonly registry_version: string;
  /** The number of ops, in a long directory. */
  readonly ops?: number;
  readonly items: readonly (DirectoryItem | { readonly op: string; readonly usage: string })[];
  /** A search in this directory, where `next` is another page. */
  readonly search?: HelpCall;
  readonly page?: number;
  readonly pages?: number;
  readonly next?: HelpCall;
}

/** Ops that a search finds. */
export interface ResultsAnswer {
  readonly type: "results";
  /** What was searched for. */
  readonly query: string;
  /** How many ops were found. */
  readonly found: number;
  /** Ops, the best first: with signature and result for the first three of them, and a title. */
  readonly items: readonly string[];
  /** Words of the query that no op has, nor a word like them. */
  readonly no_op_has?: readonly string[];
  /** The call that gives more of them; absent on the last page. */
  readonly next?: HelpCall;
}

/** The answer to an unknown path. */
export interface NotFoundAnswer {
  readonly type: "not_found";
  readonly path: string;
  readonly registry_version: string;
  /** With the call that searches, if the path is a text that a search finds something for. */
  readonly error: ErrorBody<HelpCall>;
  readonly suggestions: readonly string[];
  readonly items: readonly DirectoryItem[];
  /** Present if something was cut. */
  readonly next?: HelpCall;
}

/** The answer to an invalid request. */
export interface ErrorAnswer {
  readonly type: "error";
  readonly path: string;
  readonly error: ErrorBody<HelpCall>;
  /** Present if something was cut. */
  readonly next?: HelpCall;
}

/**
 * Answer of `tool_help`, with its keys in this order.
 *
 * @example
 * const isFound = (answer: HelpAnswer) => answer.type !== "not_found" && answer.type !== "error";
 */
export type HelpAnswer = OpAnswer | DirectoryAnswer | ResultsAnswer | NotFoundAnswer | ErrorAnswer;
