/** The commands that features add, for tests of what all commands have in common: they do nothing. */

import { featureCommands } from "../../core/commands.js";
import { FEATURES } from "../../features/list.js";

const added = await featureCommands(FEATURES, () => Promise.reject(new Error("it does nothing here")));

export const ADDED_COMMANDS = added.map((one) => ({ ...one, action: async () => 0 }));
