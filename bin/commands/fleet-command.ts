import { migrateFleet } from "#lib/fleet/migrate-fleet.ts";
import { checkFleet } from "#lib/fleet/check/check-fleet.ts";
import { fleetStats } from "#lib/fleet/fleet-stats.ts";
import { fleetAddress, openCheckedFleet, openFleet, type Fleet } from "#lib/fleet/open-fleet.ts";
import { emailOf } from "#lib/fleet/people/email-of.ts";
import { setFleetAdmin } from "#lib/fleet/people/people-rows.ts";
import { fail } from "#lib/kernel/errors.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { audit } from "./fleet-audit-command.ts";
import { budget } from "./fleet-budget-command.ts";
import { link, person } from "./fleet-person-command.ts";
import { byCommand } from "./fleet-words.ts";
import { deleted, remove, restore, retention, sweep } from "./fleet-retention-command.ts";
import { token } from "./fleet-token-command.ts";
import { webhook } from "./fleet-webhook-command.ts";
import { bytes, count, plain, printJson, table } from "./print.ts";

const ACTIONS: Readonly<Record<string, (fleet: Fleet, words: Words) => Promise<number | void>>> = {
  init,
  migrate,
  check,
  stats,
  token,
  person,
  link,
  audit,
  delete: remove,
  restore,
  deleted,
  retention,
  budget,
  webhook,
  sweep,
};

/** Options that belong to one action. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  repair: ["check"],
  content: ["check"],
  project: ["token", "person", "audit", "deleted", "retention", "budget"],
  "all-projects": ["token", "person"],
  scope: ["token"],
  name: ["token", "webhook"],
  days: ["token", "retention"],
  bytes: ["retention"],
  grace: ["sweep"],
  adopt: ["sweep"],
  reason: ["delete"],
  "dry-run": ["delete", "retention"],
  yes: ["delete"],
  role: ["person"],
  admin: ["init"],
  url: ["link", "webhook"],
  on: ["webhook"],
  secret: ["webhook"],
  "new-secret": ["webhook"],
  titles: ["webhook"],
  enabled: ["webhook"],
  minutes: ["link"],
  limit: ["audit", "deleted"],
};

/** The others ask the database alone: a token is revoked while the bucket is away. */
const WITH_BUCKET: ReadonlySet<string> = new Set(["check", "sweep"]);

/** Words of an action, itself among them; 1 where none is named. */
const MOST: Readonly<Record<string, number>> = {
  token: 3,
  person: 3,
  link: 2,
  delete: 2,
  restore: 2,
  retention: 2,
  budget: 4,
  webhook: 4,
};

export const run: Run = async (words) => {
  const [action = ""] = words.args;
  const found = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (found === undefined)
    throw new WrongWords(`plimsoll fleet takes ${Object.keys(ACTIONS).join(", ")}, not "${action}".`);
  for (const [option, actions] of Object.entries(OWN))
    if (words.options[option] !== undefined && !actions.includes(action))
      throw new WrongWords(`--${option} belongs to plimsoll fleet ${actions.join(" and ")}.`);
  if (words.args.length > (MOST[action] ?? 1))
    throw new WrongWords(`Unexpected argument "${words.args[MOST[action] ?? 1]}" for plimsoll fleet ${action}.`);
  const given = { database: textOption(words, "database"), bucket: textOption(words, "bucket") };
  const address = fleetAddress(given, process.env);
  if (address === null)
    fail(
      "invalid",
      "No fleet is configured. Set PLIMSOLL_DATABASE and PLIMSOLL_BUCKET, or give --database and --bucket.",
    );
  const isNew = action === "init" || action === "migrate";
  const part = WITH_BUCKET.has(action) ? "both" : "database";
  const fleet = isNew ? openFleet(address, process.env) : await openCheckedFleet(address, process.env, part);
  try {
    return await found(fleet, words);
  } finally {
    await fleet.close();
  }
};

async function init(fleet: Fleet, words: Words): Promise<void> {
  const given = textOption(words, "admin");
  const admin = given === undefined ? undefined : emailOf(given);
  await fleet.objects.ensure();
  await migrate(fleet, words);
  if (admin === undefined) return;
  await setFleetAdmin(fleet, admin, true, byCommand());
  if (words.options["json"] !== true)
    console.log(`${admin} is an admin of all projects. For a link to sign in: plimsoll fleet link ${admin} --url URL`);
}

async function migrate(fleet: Fleet, words: Words): Promise<void> {
  const { from, to } = await migrateFleet(fleet, console.error);
  if (words.options["json"] === true) return printJson({ from, to });
  console.log(
    from === to ? `The fleet's schema is ${to} already.` : `The fleet's schema is ${to} now; it was ${from}.`,
  );
}

async function stats(fleet: Fleet, words: Words): Promise<void> {
  const found = await fleetStats(fleet);
  if (words.options["json"] === true) return printJson(found);
  const { commits, objects } = found;
  if (found.projects.length > 0)
    console.log(
      table(
        ["project", "sessions", "families", "bytes"],
        found.projects.map((one) => [one.project, count(one.sessions), count(one.families), bytes(one.bytes)]),
        new Set([0]),
      ),
    );
  console.log(
    `Commits: ${count(commits.waiting)} waiting, ${count(commits.claimed)} being read, ${count(commits.done)} read, ${count(commits.superseded)} superseded, ${count(commits.failed)} failed`,
  );
  console.log(
    `Objects: ${count(objects.count)}, ${bytes(objects.bytes)}. Usage rows: ${count(found.usageRows)}. Texts: ${count(found.texts)}.`,
  );
  if (found.views.outdated + found.views.failed > 0)
    console.log(
      `Views: ${count(found.views.outdated)} families have those of an older Plimsoll, ${count(found.views.failed)} could not be read again`,
    );
}

/** 1 where something is wrong, also where it was repaired. */
async function check(fleet: Fleet, words: Words): Promise<number> {
  const found = await checkFleet(fleet, {
    repair: words.options["repair"] === true,
    content: words.options["content"] === true,
  });
  if (words.options["json"] === true) printJson(found);
  else {
    for (const { kind, ref, text, isRepaired } of found.problems)
      console.log(`${isRepaired ? "repaired  " : ""}${kind}  ${plain(ref)}  ${plain(text)}`);
    for (const { project, id, reason } of found.failed)
      console.log(`not read  ${project}/${id}  ${plain(reason ?? "")}`);
    console.log(
      `${count(found.named)} objects are known, ${count(found.missing.length)} missing; nothing names ${count(found.unnamed)} in the bucket.`,
    );
    if (found.problems.length > 0)
      console.log(
        words.options["repair"] === true
          ? "Whoever has a missing object sends it the next time that it sends."
          : "Let senders send them again, and mend what can be mended: plimsoll fleet check --repair",
      );
  }
  return found.problems.length > 0 || found.failed.length > 0 ? 1 : 0;
}
