// `plimsoll statusline` as a program of its own: what it loads is all that it may take, 60 ms with Node's own 25.
import { readWords, WrongWords } from "./commands/args.ts";
import { commandHelp } from "./commands/help.ts";
import { run } from "./commands/statusline-command.ts";
import { STATUSLINE } from "./commands/statusline-words.ts";

process.exitCode = await main(process.argv.slice(3));

async function main(argv: readonly string[]): Promise<number> {
  try {
    if (argv.includes("--help")) console.log(commandHelp(STATUSLINE));
    else return (await run(readWords(STATUSLINE, argv))) ?? 0;
    return 0;
  } catch (error) {
    if (!(error instanceof WrongWords)) throw error;
    console.error(`${error.message}\n\n${commandHelp(STATUSLINE)}`);
    return 2;
  }
}
