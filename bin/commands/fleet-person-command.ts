// `plimsoll fleet person` and `link`: who may sign in, and what they may do in which project.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { emailOf } from "#lib/fleet/people/email-of.ts";
import { listPeople, removePerson, setFleetAdmin, setRole } from "#lib/fleet/people/people-rows.ts";
import { createLink } from "#lib/fleet/people/sign-ins.ts";
import { LINK_MINUTES, PERSON_ROLES, personRole, type RemovedPerson } from "#lib/wire/fleet-people-schema.ts";
import { numberOption, textOption, WrongWords, type Words } from "./args.ts";
import { byCommand, projectOf } from "./fleet-words.ts";
import { counted, oneLine, printJson, table } from "./print.ts";

export async function person(fleet: Fleet, words: Words): Promise<void> {
  const [, action, email] = words.args;
  if (action === "list") return list(fleet, words);
  if (action === "set" && email !== undefined) return set(fleet, words, email);
  if (action === "remove" && email !== undefined) return remove(fleet, words, email);
  throw new WrongWords(
    action === "set" || action === "remove"
      ? `plimsoll fleet person ${action} needs an e-mail address.`
      : `plimsoll fleet person takes list, set or remove, not "${action ?? ""}".`,
  );
}

async function list(fleet: Fleet, words: Words): Promise<void> {
  const people = await listPeople(fleet);
  if (words.options["json"] === true) return printJson({ people });
  if (people.length === 0)
    return console.log("No people yet. Add one: plimsoll fleet person set EMAIL --project NAME --role reader");
  const rolesOf = ({ isAdmin, roles }: (typeof people)[number]): string =>
    [
      ...(isAdmin === true ? ["admin of the fleet"] : []),
      ...Object.entries(roles).map(([project, role]) => `${project} ${role}`),
    ].join(", ");
  console.log(
    table(
      ["person", "name", "last sign-in", "roles"],
      people.map((one) => [one.email, oneLine(one.name, 30), one.seenAt?.slice(0, 10) ?? "never", rolesOf(one)]),
      new Set([0, 1, 2, 3]),
    ),
  );
}

async function set(fleet: Fleet, words: Words, email: string): Promise<void> {
  const role = personRole.safeParse(textOption(words, "role") ?? "reader");
  if (!role.success) throw new WrongWords(`--role takes ${PERSON_ROLES.join(", ")}.`);
  const project = textOption(words, "project");
  const isEvery = words.options["all-projects"] === true;
  if ((project === undefined) !== isEvery)
    throw new WrongWords("plimsoll fleet person set needs --project NAME, or --all-projects.");
  if (isEvery && role.data !== "admin") throw new WrongWords("--all-projects needs --role admin.");
  if (project === undefined) await setFleetAdmin(fleet, email, true, byCommand());
  else await setRole(fleet, email, projectOf(project), role.data, byCommand());
  const known = emailOf(email);
  if (words.options["json"] === true) return printJson({ email: known, project: project ?? null, role: role.data });
  console.log(`${known} is ${role.data} of ${project ?? "every project"}. Nodes know it within 5 seconds.`);
}

async function remove(fleet: Fleet, words: Words, email: string): Promise<void> {
  const project = textOption(words, "project");
  const isEvery = words.options["all-projects"] === true;
  const { revokedTokens } = isEvery
    ? await setFleetAdmin(fleet, email, false, byCommand())
    : project === undefined
      ? await removePerson(fleet, email, byCommand())
      : await setRole(fleet, email, projectOf(project), null, byCommand());
  const removed: RemovedPerson = { email: emailOf(email), revokedTokens };
  if (words.options["json"] === true) return printJson(removed);
  const from = project === undefined ? "" : ` from ${project}`;
  console.log(`Removed ${removed.email}${from}${tokensText(removed)}. Nodes know it within 5 seconds.`);
}

const tokensText = ({ revokedTokens }: RemovedPerson): string =>
  revokedTokens === 0
    ? ""
    : `, and revoked ${counted(revokedTokens, "token")} in their name: senders that use ${revokedTokens === 1 ? "it" : "one"} stop`;

/** Prints a link that signs somebody in, once. */
export async function link(fleet: Fleet, words: Words): Promise<void> {
  const [, email] = words.args;
  if (email === undefined) throw new WrongWords("plimsoll fleet link needs an e-mail address.");
  const at = URL.parse(textOption(words, "url") ?? process.env["PLIMSOLL_PUBLIC_URL"] ?? "");
  if (at === null || !/^https?:$/.test(at.protocol))
    throw new WrongWords("plimsoll fleet link needs a node's address: --url URL, or PLIMSOLL_PUBLIC_URL.");
  const minutes = numberOption(words, "minutes", LINK_MINUTES);
  if (minutes < 1 || minutes > 1440) throw new WrongWords("--minutes takes 1 to 1440.");
  const url = `${at.origin}/sign-in/link?token=${await createLink(fleet, email, minutes, byCommand())}`;
  if (words.options["json"] === true) return printJson({ link: url, minutes });
  console.log(url);
  console.error(`Signs in ${emailOf(email)}, once, within ${minutes} minutes.`);
}
