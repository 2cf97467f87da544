/** Sign-in of people through identity providers: tokens of issuers over HTTP, and logins at the console. */

import type { Feature } from "../../core/feature.js";
import { SIGN_IN_SETTINGS } from "./settings.js";

/** Sign-in beside keys. */
export const SIGN_IN: Feature = {
  name: "sign-in",
  settings: SIGN_IN_SETTINGS,
  signIn: async () => (await import("./sign-in-part.js")).SIGN_IN_PART,
  serve: async () => (await import("./serve.js")).nameUsers,
  doctor: async () => (await import("./doctor.js")).checkIssuers,
  doctorAfter: "http",
  commands: async () => (await import("./commands.js")).SIGN_IN_COMMANDS,
};
