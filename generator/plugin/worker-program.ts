/**
 * The program of the thread in which a plugin runs. It is a text, not a module, so that it is the same in the sources, in a bundle
 * and in the built package. Everything that passes between the threads is JSON.
 */

/** Stands for a function in the description of a plugin. */
export const FUNCTION = "(function)";

/** A request to the thread. */
export type PluginRequest =
  | { readonly url: string }
  | {
      readonly list: "sources" | "emitters";
      readonly index: number;
      readonly call: "read" | "emit";
      readonly input: string;
    }
  | { readonly answer: number; readonly text: string | undefined };

/** A message of the thread: the end of a request, or the wish to read a file. */
export type PluginReply =
  | { readonly result: string | undefined }
  | { readonly fault: string }
  | { readonly ask: number; readonly file: string };

/** Program of the thread. */
export const PROGRAM = `
"use strict";
const { parentPort: port } = require("node:worker_threads");
let plugin;
let last = 0;
const asked = new Map();
const host = Object.freeze({
  read: (file) =>
    new Promise((resolve) => {
      last += 1;
      asked.set(last, resolve);
      port.postMessage({ ask: last, file: String(file) });
    }),
});
const described = (key, value) => (typeof value === "function" ? ${JSON.stringify(FUNCTION)} : value);
const open = async (url) => {
  plugin = (await import(url)).default;
  return JSON.stringify(plugin, described);
};
const call = async ({ list, index, call, input }) => {
  const [first, second] = JSON.parse(input);
  const owner = plugin[list][index];
  return JSON.stringify(await owner[call](first, call === "read" ? host : second));
};
port.on("message", (request) => {
  if ("answer" in request) {
    asked.get(request.answer)(request.text);
    asked.delete(request.answer);
    return;
  }
  Promise.resolve(request)
    .then((one) => ("url" in one ? open(one.url) : call(one)))
    .then((result) => port.postMessage({ result }))
    .catch((error) => port.postMessage({ fault: error instanceof Error ? error.message : String(error) }));
});
`;
