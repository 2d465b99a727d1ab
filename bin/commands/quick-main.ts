// A command as a program of its own: its words, its help, its errors, and nothing of the other commands.
import { isAppError } from "#lib/kernel/errors.ts";
import { readWords, WrongWords, type Command, type Run } from "./args.ts";
import { commandHelp } from "./help.ts";
import { plain } from "./print.ts";
import { reportStdoutFailures } from "./stdout-failures.ts";

/** Sets the exit status: 0 done, 1 not found or refused, 2 wrong usage, as `bin/plimsoll.ts` has it. */
export async function quickMain(command: Command, run: Run, argv: readonly string[]): Promise<void> {
  reportStdoutFailures();
  process.exitCode = await statusOf(command, run, argv);
}

async function statusOf(command: Command, run: Run, argv: readonly string[]): Promise<number> {
  try {
    if (argv.includes("--help")) console.log(commandHelp(command));
    else return (await run(readWords(command, argv))) ?? 0;
    return 0;
  } catch (error) {
    if (error instanceof WrongWords) {
      console.error(`${error.message}\n\n${commandHelp(command)}`);
      return 2;
    }
    if (!isAppError(error)) throw error;
    if (argv.includes("--json")) console.log(JSON.stringify({ error: { code: error.code, message: error.message } }));
    console.error(plain(error.message));
    return error.code === "invalid" ? 2 : 1;
  }
}
