/** The order of servers on the screens: those that need someone come first. */

import type { SeenServer } from "../../../gateway/console-data.js";

/** The parts of a server that decide its place. */
type ServerTrouble = Pick<SeenServer, "state" | "tools" | "sign_in" | "error" | "refused" | "drift">;

/** States in the order in which they are counted and listed. */
export const SERVER_STATES: readonly string[] = ["disconnected", "connected", "idle"];

/** Whether a person has to do something: connect it, sign in, or take a snapshot, since it has no tools or other ones. */
const needsSomeone = ({ state, tools, sign_in, error, refused, drift }: ServerTrouble): boolean =>
  state === "disconnected" ||
  sign_in ||
  error !== undefined ||
  tools === 0 ||
  refused.length > 0 ||
  (drift?.findings.length ?? 0) > 0;

const rankOf = (server: ServerTrouble): number =>
  (needsSomeone(server) ? 0 : SERVER_STATES.length) + SERVER_STATES.indexOf(server.state);

/** Servers that need someone, then the others; of each, the disconnected ones first, then the connected ones. */
export const byTrouble = <S extends ServerTrouble>(servers: readonly S[]): readonly S[] =>
  [...servers].sort((a, b) => rankOf(a) - rankOf(b));
