/** The command line on a pseudo-terminal (python3's `pty`), with scripted input. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { CHECKOUT } from "./project.js";

/** When a text appears, keys are typed. A question that waits for an answer has `◆  ` before it. */
export type Step = readonly [appears: string, types: string];

/** Reads what the program prints, types a step's keys once its text has appeared, and ends with the program's exit code. */
const DRIVER = `import fcntl, json, os, pty, re, select, struct, sys, termios, time
steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
deadline = time.time() + 60
while time.time() < deadline:
    if terminal not in select.select([terminal], [], [], 0.2)[0]:
        continue
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    sys.stdout.buffer.write(chunk)
    sys.stdout.flush()
    seen += chunk
    if steps and steps[0][0].encode() in re.sub(rb"\\x1b\\[[0-9;?]*[A-Za-z]", b"", seen):
        os.write(terminal, steps.pop(0)[1].encode())
        seen = b""
else:
    os.kill(pid, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;

/** Exit code and everything that was printed, without colours, and raw; undefined without python3. */
export function onTerminal(
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly steps?: readonly Step[] } = {},
): Promise<{ readonly code: number | null; readonly text: string; readonly raw: string } | undefined> {
  const { env = {}, cwd = CHECKOUT, steps = [] } = options;
  const launcher = join(CHECKOUT, "generator", "launch.mjs");
  return new Promise((resolve) => {
    const child = spawn("python3", ["-c", DRIVER, JSON.stringify(steps), process.execPath, launcher, ...args], {
      env: { ...process.env, TERM: "xterm", ...env },
      cwd,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("error", () => resolve(undefined));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours and cursor movements are not what most tests look at.
    const plain = (): string => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
    child.once("close", (code) => resolve({ code, text: plain(), raw: text }));
  });
}
