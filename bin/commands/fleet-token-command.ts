// `plimsoll fleet token`: tokens that are valid on every node. Whoever has the database's address manages all of them.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { createFleetToken, listFleetTokens, revokeFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { FLEET_SCOPES, fleetScope, type FleetTokenRow } from "#lib/wire/fleet-people-schema.ts";
import { numberOption, textOption, WrongWords, type Words } from "./args.ts";
import { byCommand, projectOf } from "./fleet-words.ts";
import { oneLine, plain, printJson, table } from "./print.ts";

export async function token(fleet: Fleet, words: Words): Promise<void> {
  const [, action, id] = words.args;
  if (action === "create") return create(fleet, words);
  if (action === "list") return list(fleet, words);
  if (action === "revoke" && id !== undefined) return revoke(fleet, words, id);
  throw new WrongWords(
    action === "revoke"
      ? "plimsoll fleet token revoke needs the token's id."
      : `plimsoll fleet token takes create, list or revoke, not "${action ?? ""}".`,
  );
}

async function create(fleet: Fleet, words: Words): Promise<void> {
  const scope = fleetScope.safeParse(textOption(words, "scope") ?? "send");
  if (!scope.success) throw new WrongWords(`--scope takes ${FLEET_SCOPES.join(", ")}.`);
  const isEvery = words.options["all-projects"] === true;
  const name = textOption(words, "project");
  if ((name === undefined) !== isEvery)
    throw new WrongWords("plimsoll fleet token create needs --project NAME, or --all-projects.");
  const days = numberOption(words, "days", 90);
  if (days > 3650) throw new WrongWords("--days takes at most 3650 (0: never expires).");
  const request = {
    name: textOption(words, "name") ?? "sender",
    scope: scope.data,
    project: name === undefined ? null : projectOf(name),
    days: days === 0 ? null : days,
    person: textOption(words, "person") ?? null,
  };
  const made = await createFleetToken(fleet, request, byCommand());
  if (words.options["json"] === true) return printJson(made);
  console.log(made.token);
  console.error(`${sentenceOf(made)} It is shown once. Revoke it with: plimsoll fleet token revoke ${made.id}`);
}

async function list(fleet: Fleet, words: Words): Promise<void> {
  const name = textOption(words, "project");
  const tokens = await listFleetTokens(fleet, name === undefined ? "all" : [projectOf(name)]);
  if (words.options["json"] === true) return printJson({ tokens });
  if (tokens.length === 0) return console.log("No tokens. Create one: plimsoll fleet token create --project NAME");
  console.log(
    table(
      ["token", "name", "person", "scope", "project", "state", "expires", "last used", "made by"],
      tokens.map((row) => [
        ...[row.id, oneLine(row.name, 30), oneLine(row.person ?? "–", 40), row.scope, row.project ?? "all", row.state],
        ...[row.expiresAt?.slice(0, 10) ?? "–", row.usedAt?.slice(0, 16).replace("T", " ") ?? "never"],
        oneLine(row.createdBy, 40),
      ]),
      new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ),
  );
}

async function revoke(fleet: Fleet, words: Words, id: string): Promise<void> {
  const row = await revokeFleetToken(fleet, id, "all", byCommand());
  if (words.options["json"] === true) return printJson(row);
  console.log(`Revoked ${row.id} (${plain(row.name)}). Nodes refuse it within 5 seconds.`);
}

const sentenceOf = ({ scope, project, expiresAt }: FleetTokenRow): string =>
  `Scope ${scope}, ${project === null ? "every project" : `project ${project}`}, ${expiresAt === null ? "never expires" : `until ${expiresAt.slice(0, 10)}`}.`;
