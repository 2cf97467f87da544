/** Opens a URL in the user's browser. A missing browser is not a failure, since the URL is printed too. */

import { spawn } from "node:child_process";

type Program = readonly [command: string, ...args: string[]];

const PROGRAMS: Readonly<Record<string, Program>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** The browser command: `BROWSER` with its arguments and `%s` for the URL, otherwise the system's default. */
function programFor(url: string, browser: string | undefined): Program {
  const [command, ...args] = browser?.trim().split(/\s+/) ?? [];
  if (!command) {
    const [known = "xdg-open", ...rest] = PROGRAMS[process.platform] ?? [];
    return [known, ...rest, url];
  }
  return args.includes("%s") ? [command, ...args.map((one) => (one === "%s" ? url : one))] : [command, ...args, url];
}

/** Starts the browser and does not wait for it. */
export function openBrowser(url: URL, browser: string | undefined = process.env["BROWSER"]): void {
  const [command, ...args] = programFor(url.href, browser);
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
