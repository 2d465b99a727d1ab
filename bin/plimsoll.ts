// The command line. Every command prints for a person, or with --json one JSON document and nothing else on standard output.
// Exit status: 0 done, 1 not found or refused, 2 wrong usage.
import { setFlagsFromString } from "node:v8";
import { isDamaged } from "#lib/archive/base/is-damaged.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { VERSION } from "#lib/kernel/version.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands/index.ts";
import { readWords, WrongWords } from "./commands/args.ts";
import { plain } from "./commands/print.ts";
import { reportStdoutFailures } from "./commands/stdout-failures.ts";
import { commandHelp, overview, unknownCommand } from "./commands/help.ts";
import { withCommand } from "./start-words.mjs";

// V8 lets a young heap grow to 100 MB, and an old one to twice of what lives in it. Without, a session of 100 MB that is carried on peaks at
// 271 MB, not at 437, for less processor time. An import has a larger one (commands/young-heap.ts).
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--heap-growing-percent=80");

reportStdoutFailures();
// `start` reads its words there.
process.argv.splice(2, Infinity, ...withCommand(process.argv.slice(2)));
const [name = "start", ...rest] = process.argv.slice(2);

process.exitCode = await run(name, rest);

async function run(command: string, argv: readonly string[]): Promise<number> {
  const isHelp = command === "--help" || command === "help" || command === "-h";
  // Options are taken with every command, and say nothing to this one.
  if (isHelp && (argv.length === 0 || argv[0]!.startsWith("-"))) {
    console.log(overview(COMMAND_GROUPS));
    return 0;
  }
  if (command === "--version" || command === "version") {
    console.log(VERSION);
    return 0;
  }
  const wanted = isHelp ? argv[0]! : command;
  const found = COMMANDS.find(({ name: known }) => known === wanted);
  if (found === undefined) {
    console.error(unknownCommand(wanted, COMMANDS));
    return 2;
  }
  try {
    if (isHelp || asksHelp(argv)) {
      console.log(commandHelp(found));
      return 0;
    }
    const words = readWords(found, argv);
    return (await (await found.load()).run(words)) ?? 0;
  } catch (error) {
    if (error instanceof WrongWords) {
      console.error(`${error.message}\n\n${commandHelp(found)}`);
      return 2;
    }
    if (isDamaged(error) && !isAppError(error)) {
      console.error("The archive's database is damaged. Run plimsoll check to list the damage.");
      return 1;
    }
    if (!isAppError(error)) throw error;
    if (argv.includes("--json")) console.log(JSON.stringify({ error: { code: error.code, message: error.message } }));
    console.error(plain(error.message));
    return error.code === "invalid" ? 2 : 1;
  }
}

/** `--help` anywhere before `--`. */
function asksHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--help");
}
