import { hostname } from "node:os";
import { resolve } from "node:path";
import { importAll } from "#lib/archive/bundle/import-all.ts";
import { nodeAddress } from "#lib/archive/settings/sending-setting.ts";
import { foldersByName, rootsOf } from "#lib/archive/sources/source-roots.ts";
import { sendSessions, type SendOptions, type SentResult } from "#lib/fleet/send-sessions.ts";
import { fail } from "#lib/kernel/errors.ts";
import { MASKS } from "#lib/wire/sending-schema.ts";
import type { ImportAnswer } from "#lib/wire/sources-schema.ts";
import { textOption, textsOption, WrongWords, type Run, type Words } from "./args.ts";
import { projectOf } from "./fleet-words.ts";
import { reading, writing } from "./open-archive.ts";
import { bytes, count, oneLine, printJson } from "./print.ts";

export const run: Run = async (words) => {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  const options = optionsOf(words, stop.signal);
  const sessions = await importedSessions(words, stop.signal);
  const isJson = words.options["json"] === true;
  const onFamily = (result: SentResult): void => {
    if (!isJson) console.log(lineOf(result));
  };
  let project = "";
  const onProject = (name: string): void => void (project = name);
  const results = await reading(words, (archive) =>
    sendSessions(archive, { ...options, sessions, onFamily, onProject }),
  );
  if (isJson) printJson({ project, results });
  else console.log(totalOf(results, project));
  return results.some(({ state }) => state === "failed") ? 1 : 0;
};

function optionsOf(words: Words, signal: AbortSignal): Omit<SendOptions, "sessions"> {
  const to = textOption(words, "to") ?? process.env["PLIMSOLL_SEND_TO"] ?? "";
  const token = process.env["PLIMSOLL_SEND_TOKEN"] ?? "";
  if (to === "") throw new WrongWords("plimsoll send needs a node: --to URL, or PLIMSOLL_SEND_TO.");
  if (!/^https?:$/.test(URL.parse(to)?.protocol ?? ""))
    throw new WrongWords(`--to takes an address like https://plimsoll.example.com, not "${to.slice(0, 80)}".`);
  if (token === "")
    fail("invalid", "plimsoll send needs a token of the node. Set PLIMSOLL_SEND_TOKEN to one with the scope send.");
  const named = textOption(words, "project") ?? process.env["PLIMSOLL_SEND_PROJECT"] ?? "";
  const project = named === "" ? null : projectOf(named);
  const mask = MASKS.find((one) => one === (textOption(words, "mask") ?? "none"));
  if (mask === undefined) throw new WrongWords(`--mask takes ${MASKS.join(", ")}.`);
  const exclude = textsOption(words, "exclude");
  // A variable that is not set: as a rule it would keep everything here.
  if (exclude.some((rule) => rule.trim() === "")) throw new WrongWords("--exclude takes a folder, and got nothing.");
  const dryRun = words.options["dry-run"] === true;
  return { to: nodeAddress(to), token, project, sender: hostname(), exclude, mask, dryRun, signal };
}

/** The sessions of the paths that are named, imported first; null for all that the archive has. */
async function importedSessions(words: Words, signal: AbortSignal): Promise<readonly string[] | null> {
  if (words.args.length === 0) return null;
  const paths = words.args.map((path) => resolve(path));
  const { files } = await writing<ImportAnswer>(words, "import", { paths }, (archive) =>
    importAll(archive, paths, {
      byName: foldersByName(archive, rootsOf(archive, null, process.env, process.platform)),
      signal,
    }),
  );
  for (const { path, status, reason } of files)
    if (status === "failed") console.error(`not imported  ${path}\n    ${reason ?? ""}`);
  return [...new Set(files.flatMap(({ sessions }) => sessions))];
}

const lineOf = ({ id, title, state, sessions, objects, sentObjects, sentBytes, reason }: SentResult): string =>
  [
    `${state.padEnd(10)}  ${id}  ${oneLine(title, 50)}${sessions > 1 ? ` and ${count(sessions - 1)} more of its family` : ""}`,
    ...(state === "sent" || state === "would send"
      ? [`    ${count(sentObjects)} of ${count(objects)} objects, ${bytes(sentBytes)}`]
      : []),
    ...(reason === null ? [] : [`    ${reason}`]),
  ].join("\n");

function totalOf(results: readonly SentResult[], project: string): string {
  const of = (state: SentResult["state"]): number => results.filter((one) => one.state === state).length;
  const states = (["sent", "would send", "unchanged", "excluded", "deleted", "failed"] as const).filter(
    (state) => of(state) > 0,
  );
  const sent = results.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  return results.length === 0
    ? "No session to send."
    : `${states.map((state) => `${count(of(state))} ${state}`).join(", ")}: ${bytes(sent)}, project ${project}`;
}
