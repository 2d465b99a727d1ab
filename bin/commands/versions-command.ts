// Earlier versions of a session's file, each with its differences from what the file holds now.
import { sessionVersions } from "#lib/archive/keep/version-differences.ts";
import type { SessionVersion } from "#lib/wire/restore-schema.ts";
import type { Run } from "./args.ts";
import { reading } from "./open-archive.ts";
import { count, oneLine, printJson, table } from "./print.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const answer = await sessionVersions(archive, words.args[0]!);
    if (words.options["json"] === true) return printJson(answer);
    if (answer.versions.length === 0) console.log("The file of this session was never rewritten.");
    for (const version of answer.versions) print(version);
    return undefined;
  });

function print({ number, id, replacedAt, removed, changed, added, isRestorable, differences }: SessionVersion): void {
  const since = added === null ? "" : `, ${count(added)} added since`;
  console.log(`Version ${number}, replaced ${replacedAt?.slice(0, 16).replace("T", " ") ?? "–"}: ${id}`);
  console.log(`${count(removed)} events removed, ${count(changed)} changed${since}`);
  if (!isRestorable) console.log("Only its removed records are kept.");
  const rows = differences.map(({ kind, type, label, seq, seqNow }) => [
    kind,
    seq === null ? "–" : String(seq),
    seqNow === null ? "–" : String(seqNow),
    type,
    oneLine(label, 70),
  ]);
  console.log(`${table(["difference", "event", "now", "type", "label"], rows, new Set([0, 3, 4]))}\n`);
}
