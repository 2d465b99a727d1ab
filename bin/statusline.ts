// `plimsoll statusline` as a program of its own: what it loads is all that it may take, 60 ms with Node's own 25.
import { quickMain } from "./commands/quick-main.ts";
import { run } from "./commands/statusline-command.ts";
import { STATUSLINE } from "./commands/statusline-words.ts";

void quickMain(STATUSLINE, run, process.argv.slice(3));
