// Words that the commands of a fleet share.
import { fleetProject } from "#lib/wire/fleet-schema.ts";
import { WrongWords } from "./args.ts";

/** The name of a project. */
export function projectOf(name: string): string {
  const found = fleetProject.safeParse(name);
  if (!found.success) throw new WrongWords(found.error.issues[0]!.message);
  return found.data;
}
