// `plimsoll usage` as a program of its own: scripts ask it often, and the rest of Plimsoll takes longer to load than the answer.
import { quickMain } from "./commands/quick-main.ts";
import { run } from "./commands/usage-command.ts";
import { USAGE } from "./commands/usage-words.ts";

void quickMain(USAGE, run, process.argv.slice(3));
