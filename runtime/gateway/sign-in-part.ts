/** What the feature of sign-in gives the core: its settings, their warnings, and the logins of the console. */

import type { Context } from "hono";
import type { Rates } from "../access/rate.js";
import type { ConfigPath } from "../config/settings.js";
import type { SignInReader } from "../config/sign-in-settings.js";
import type { HttpSettings } from "../config/transport-settings.js";
import type { Logger } from "../contract/handler.js";
import type { DeclaringFeature } from "../contract/settings/feature-settings.js";
import type { WrittenConfig } from "../contract/settings/project-settings.js";
import type { GrantPatternKind } from "../contract/unmatched-patterns.js";
import type { Live } from "./reloadable-gateway.js";

/** A pattern of packs or ops, and where it is. */
export type PlacedPattern = readonly [kind: GrantPatternKind, pattern: string, path: ConfigPath];

/** What is probably a mistake, and where it is. */
export type PlacedWarning = readonly [path: ConfigPath, what: string];

/** What a login of the console gets of the server. */
export interface LoginServer {
  readonly live: Live;
  /** Whether the cookie needs TLS. */
  readonly login: "off" | "plain" | "secure";
  readonly settings: () => Pick<HttpSettings, "publicUrl" | "signIn">;
  readonly rates: () => Rates;
  readonly log: Logger;
}

/** A route of the console that needs no principal. */
export interface LoginRoute {
  readonly method: "get" | "post";
  readonly path: string;
  /** @param body - of a `post` */
  answer(c: Context, body: unknown): Promise<Response>;
}

/** Sign-in. One feature has it. */
export interface SignInPart extends SignInReader {
  /** Patterns of packs and ops in its keys. */
  patternsIn(config: WrittenConfig): readonly PlacedPattern[];
  /** What is probably a mistake in its keys. */
  warningsOf(config: WrittenConfig): readonly PlacedWarning[];
  /** Loads the routes of a server, by which people log in at the console. */
  loginRoutes(server: LoginServer): Promise<readonly LoginRoute[]>;
}

/** A feature by which people sign in. */
export interface SignInFeature extends DeclaringFeature {
  /** Loads it. One feature has it. */
  readonly signIn?: () => Promise<SignInPart>;
}

/** Loads how people sign in; undefined without a feature for it. */
export const loadSignIn = async ({
  features = [],
}: {
  readonly features?: readonly SignInFeature[];
}): Promise<SignInPart | undefined> => features.find(({ signIn }) => signIn)?.signIn?.();
