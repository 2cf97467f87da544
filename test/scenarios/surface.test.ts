/**
 * What a client discovers besides the tools, through real clients of both eras on stdio.
 */

import { STDIO_CLIENTS, surfaceScenarios } from "../support/servers/surface.js";

for (const [transport, connect] of Object.entries(STDIO_CLIENTS)) surfaceScenarios(transport, connect);
