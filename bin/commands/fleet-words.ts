// Words that the commands of a fleet share.
import { fleetProject } from "#lib/wire/fleet-schema.ts";
import { userInfo } from "node:os";
import { WrongWords } from "./args.ts";

/** Who made what was made on the command line. */
export const BY_COMMAND = "command-line";

/** The person at this machine, as the audit log has it. */
export const byCommand = () => ({ who: BY_COMMAND, address: `command line of ${userInfo().username}` });

/** The name of a project. */
export function projectOf(name: string): string {
  const found = fleetProject.safeParse(name);
  if (!found.success) throw new WrongWords(found.error.issues[0]!.message);
  return found.data;
}
