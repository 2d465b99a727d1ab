// Words that the commands of a fleet share.
import { fleetProject } from "#lib/wire/fleet-schema.ts";
import { userInfo } from "node:os";
import { numberOption, WrongWords, type Words } from "./args.ts";

/** The person at this machine, as the audit log has it. */
export const byCommand = () => ({ who: "command-line", address: `command line of ${userInfo().username}` });

/** How many rows of a list are shown. */
export function rowsOption(words: Words): number {
  const limit = numberOption(words, "limit", 100);
  if (limit < 1 || limit > 10_000) throw new WrongWords("--limit takes 1 to 10000.");
  return limit;
}

/** The name of a project. */
export function projectOf(name: string): string {
  const found = fleetProject.safeParse(name);
  if (!found.success) throw new WrongWords(found.error.issues[0]!.message);
  return found.data;
}
