/** Child program of the compiler: reads one program after the other, and checks each after its syntax was answered. */

import { getLibFiles, ts } from "@ts-morph/common";
import { openChannel } from "../../runtime/run/engine/child-channel.js";
import { type CompileRequest, programCompiler } from "./compile.js";
import type { CompilerMessage } from "./compiler.js";
import { worldText } from "./world.js";

const libraries = new Map(getLibFiles().map(({ fileName, text }) => [fileName.replace(/^.*\//, ""), text] as const));
const compiler = programCompiler(ts, worldText(libraries));

const channel = openChannel((message) => {
  const answer = compiler.read(message as CompileRequest);
  channel.send({ answer } satisfies CompilerMessage);
  // The answer leaves before the check keeps this thread busy.
  setImmediate(() => {
    channel.send({ findings: "compiled" in answer ? compiler.check() : [] } satisfies CompilerMessage);
  });
});
// The declarations of the language are read once.
compiler.read({ code: "1", types: "" });
compiler.check();
channel.send({ isReady: true } satisfies CompilerMessage);
