// Where the project lies, whatever folder a command is run in.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json. */
export const projectDir = dirname(dirname(fileURLToPath(import.meta.url)));
