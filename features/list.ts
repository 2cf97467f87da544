/** The features of the package. The first one is innermost around a call. Only the entries of the package import this list. */

import type { Feature } from "../core/feature.js";
import { BREAKING_CHANGES } from "./breaking/feature.js";
import { CI_FILES } from "./ci/feature.js";
import { CONNECT_CLIENTS } from "./connect-clients/feature.js";
import { DOCS_SITE } from "./docs-site/feature.js";
import { EXTENSIONS } from "./extensions/feature.js";
import { HTTP_APIS } from "./http-apis/feature.js";
import { LEARNED_TYPES } from "./learned-types/feature.js";
import { RESOURCES } from "./resources/feature.js";
import { SIGN_IN } from "./sign-in/feature.js";
import { UNIX_SOCKET } from "./socket/feature.js";
import { STATE_TRANSFER } from "./state-transfer/feature.js";
import { STATISTICS_OF_CALLS } from "./statistics/feature.js";
import { SURFACES } from "./surfaces/feature.js";
import { TYPESCRIPT_PROGRAMS } from "./typescript/feature.js";

/** All features. */
export const FEATURES: readonly Feature[] = [
  HTTP_APIS,
  CONNECT_CLIENTS,
  STATE_TRANSFER,
  STATISTICS_OF_CALLS,
  BREAKING_CHANGES,
  LEARNED_TYPES,
  RESOURCES,
  EXTENSIONS,
  SURFACES,
  DOCS_SITE,
  CI_FILES,
  UNIX_SOCKET,
  SIGN_IN,
  TYPESCRIPT_PROGRAMS,
];
