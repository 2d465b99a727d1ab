// The command line. Every command prints for a person, or with --json one JSON document and nothing else on standard output.
// Exit status: 0 done, 1 the thing asked for was not found or was refused, 2 wrong words.
import { isDamaged } from "#lib/archive/base/is-damaged.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { VERSION } from "#lib/kernel/version.ts";
import { COMMANDS } from "./commands/index.ts";
import { readWords, usage, WrongWords } from "./commands/args.ts";

const [name, ...rest] = process.argv.slice(2);

if (name === undefined) await import("./serve.ts");
else process.exitCode = await run(name, rest);

async function run(command: string, argv: readonly string[]): Promise<number> {
  if (command === "--help" || command === "help" || command === "-h") {
    console.log(usage(COMMANDS));
    return 0;
  }
  if (command === "--version" || command === "version") {
    console.log(VERSION);
    return 0;
  }
  const found = COMMANDS.find((known) => known.name === command);
  try {
    if (found === undefined) throw new WrongWords(`Unknown command "${command}".`);
    const words = readWords(found, argv);
    return (await (await found.load()).run(words)) ?? 0;
  } catch (error) {
    if (error instanceof WrongWords) {
      console.error(`${error.message}\n\n${usage(found === undefined ? COMMANDS : [found])}`);
      return 2;
    }
    if (isDamaged(error) && !isAppError(error)) {
      console.error("The database of the archive is damaged. plimsoll check lists what is: run it next.");
      return 1;
    }
    if (!isAppError(error)) throw error;
    if (argv.includes("--json")) console.log(JSON.stringify({ error: { code: error.code, message: error.message } }));
    console.error(error.message);
    return error.code === "invalid" ? 2 : 1;
  }
}
