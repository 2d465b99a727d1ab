// `plimsoll fleet delete`, `restore`, `deleted` and `retention`: what leaves a fleet, and what comes back.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { deleteSession, listDeleted, restoreSession } from "#lib/fleet/retention/delete-session.ts";
import { listRetention, setRetention, sumOverLimits, type OverLimits } from "#lib/fleet/retention/project-retention.ts";
import { graceDaysOf, sweepFleet } from "#lib/fleet/retention/sweep-fleet.ts";
import { fleetDeleteRequest, projectRetention, type ProjectRetention } from "#lib/wire/fleet-retention-schema.ts";
import { numberOption, textOption, WrongWords, type Words } from "./args.ts";
import { byCommand, projectOf, rowsOption } from "./fleet-words.ts";
import { bytes, count, counted, oneLine, plain, printJson, table } from "./print.ts";

/** Whoever has the database's address manages every project. */
const MANAGED = "all";

export async function remove(fleet: Fleet, words: Words): Promise<void> {
  const [, session] = words.args;
  if (session === undefined) throw new WrongWords("plimsoll fleet delete needs a session's id.");
  const [dryRun, isSure] = [words.options["dry-run"] === true, words.options["yes"] === true];
  if (dryRun === isSure) throw new WrongWords("plimsoll fleet delete: look with --dry-run, then confirm with --yes.");
  const request = fleetDeleteRequest.safeParse({ session, reason: textOption(words, "reason") ?? "", dryRun });
  if (!request.success) throw new WrongWords("--reason takes up to 300 characters.");
  const answer = await deleteSession(fleet, { ...request.data, ...byCommand(), managed: MANAGED });
  if (words.options["json"] === true) return printJson(answer);
  const { sessions } = answer;
  for (const { id, title } of sessions.slice(0, 50)) console.log(`${id}  ${oneLine(title, 80)}`);
  const what = `${counted(sessions.length, "session")} of ${answer.project}, ${bytes(answer.bytes)}`;
  console.log(dryRun ? `Would delete ${what}` : `Deleted ${what}. Undo: plimsoll fleet restore ${answer.family}`);
}

export async function restore(fleet: Fleet, words: Words): Promise<void> {
  const [, session] = words.args;
  if (session === undefined) throw new WrongWords("plimsoll fleet restore needs a session's id.");
  const answer = await restoreSession(fleet, { session, ...byCommand(), managed: MANAGED });
  if (words.options["json"] === true) return printJson(answer);
  console.log(
    answer.isRestored
      ? `Restored ${answer.family}. A node lists it within a minute.`
      : `The content of ${answer.family} is gone. From now on senders may send it again.`,
  );
}

export async function deleted(fleet: Fleet, words: Words): Promise<void> {
  const name = textOption(words, "project");
  const limit = rowsOption(words);
  const families = await listDeleted(fleet, {
    visible: "all",
    limit,
    ...(name !== undefined && { project: projectOf(name) }),
  });
  if (words.options["json"] === true) return printJson({ families });
  if (families.length === 0) return console.log("Nothing was deleted.");
  console.log(
    table(
      ["deleted", "project", "session", "title", "sessions", "bytes", "by", "why", "can be restored"],
      families.map((one) => [
        ...[
          one.at.slice(0, 19).replace("T", " "),
          one.project,
          one.family,
          oneLine(one.title, 40),
          count(one.sessions),
        ],
        ...[bytes(one.bytes), oneLine(one.by, 50), oneLine(one.reason, 60), one.canRestore ? "yes" : "no"],
      ]),
      new Set([0, 1, 2, 3, 6, 7, 8]),
    ),
  );
}

/** Once, now, with the same rules as the nodes' own sweep each day. */
export async function sweep(fleet: Fleet, words: Words): Promise<void> {
  const graceDays = numberOption(words, "grace", graceDaysOf(process.env));
  if (graceDays < 1 || graceDays > 3650) throw new WrongWords("--grace takes 1 to 3650 days.");
  const answer = await sweepFleet(fleet, { graceDays, adopts: words.options["adopt"] === true });
  if (words.options["json"] === true) return printJson(answer);
  console.log(
    `Cleared ${count(answer.tombstones)} deleted families and ${count(answer.commits)} commits. Removed ${count(answer.objects)} objects, ${bytes(answer.bytes)}; ${count(answer.strays)} of them were never committed.`,
  );
}

export async function retention(fleet: Fleet, words: Words): Promise<void> {
  const [, action] = words.args;
  if (action === "list") return list(fleet, words);
  if (action !== "set" && action !== "remove")
    throw new WrongWords(`plimsoll fleet retention takes list, set or remove, not "${action ?? ""}".`);
  const name = textOption(words, "project");
  if (name === undefined) throw new WrongWords(`plimsoll fleet retention ${action} needs --project NAME.`);
  const days = words.options["days"] === undefined ? null : numberOption(words, "days", 0);
  const most = bytesOption(words);
  if (action === "set" && days === null && most === null)
    throw new WrongWords("plimsoll fleet retention set needs --days N or --bytes SIZE.");
  if (action === "remove" && (days !== null || most !== null))
    throw new WrongWords("plimsoll fleet retention remove takes --project alone: it removes both limits.");
  const limits = projectRetention.safeParse({ project: projectOf(name), days, bytes: most });
  if (!limits.success) throw new WrongWords("--days takes 1 to 36500, --bytes at least 1.");
  const over = await sumOverLimits(fleet, limits.data);
  if (words.options["dry-run"] === true) {
    if (words.options["json"] === true) return printJson({ ...limits.data, over });
    return console.log(`Would delete ${overText(over)} of ${limits.data.project}`);
  }
  const set = await setRetention(fleet, limits.data, byCommand());
  if (words.options["json"] === true) return printJson(set);
  const going = over.families === 0 ? "" : ` Over it now: ${overText(over)}.`;
  console.log(`${set.project}: ${limitsText(set)}. Nodes apply it within 10 minutes.${going}`);
}

const overText = ({ sessions, bytes: size }: OverLimits): string => `${counted(sessions, "session")}, ${bytes(size)}`;

async function list(fleet: Fleet, words: Words): Promise<void> {
  const projects = await listRetention(fleet, "all");
  if (words.options["json"] === true) return printJson({ projects });
  if (projects.length === 0) return console.log("No project has limits: all keep everything.");
  for (const one of projects) console.log(`${plain(one.project)}: ${limitsText(one)}`);
}

function limitsText({ days, bytes: most }: ProjectRetention): string {
  const parts = [
    ...(days === null ? [] : [`sessions with activity in the last ${count(days)} days`]),
    ...(most === null ? [] : [`at most ${bytes(most)}`]),
  ];
  return parts.length === 0 ? "keeps everything" : `keeps ${parts.join(", ")}`;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** `--bytes 50GB`; null where it is not given. */
function bytesOption(words: Words): number | null {
  const text = textOption(words, "bytes");
  if (text === undefined) return null;
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit.toLowerCase()];
  if (number === undefined || factor === undefined)
    throw new WrongWords(`--bytes takes a size like 50GB, not "${text.slice(0, 40)}".`);
  return Math.round(Number(number) * factor);
}
