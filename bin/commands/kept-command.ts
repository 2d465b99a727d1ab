// What agents have deleted and the archive keeps, and what they delete next.
import { listSources, type SourceList } from "#lib/archive/sources/list-sources.ts";
import { numberOption, type Run } from "./args.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, oneLine, plain, printJson, table } from "./print.ts";

const MOST = 500;

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const within = numberOption(words, "within", 7);
    const page = { limit: MOST, offset: 0 };
    const deleted = await listSources(archive, { ...page, status: "gone" });
    const next = await listSources(archive, { ...page, within });
    if (words.options["json"] === true) {
      printJson({
        deleted: deleted.sources,
        deletedTotal: deleted.total,
        next: next.sources,
        nextTotal: next.total,
        within,
      });
      return;
    }
    console.log(`Deleted, kept here: ${count(deleted.total)}`);
    print(deleted, (row) => row.deletedAt);
    console.log(`\nDeleted by agents within ${count(within)} days: ${count(next.total)}`);
    print(next, (row) => row.deletion?.at ?? null);
    if (deleted.total > 0) console.log("\nplimsoll restore SESSION writes the files again.");
  });

type Row = SourceList["sources"][number];

function print({ sources, total }: SourceList, when: (row: Row) => string | null): void {
  if (sources.length === 0) return;
  console.log(
    table(
      ["date", "session", "size", "title", "file"],
      sources.map((row) => [
        when(row)?.slice(0, 10) ?? "–",
        row.sessions[0]?.id ?? "–",
        bytes(row.sizeBytes),
        oneLine(row.sessions[0]?.title ?? "–", 40),
        plain(row.label),
      ]),
      new Set([0, 1, 3, 4]),
    ),
  );
  if (total > sources.length) console.log(`The first ${count(sources.length)} of ${count(total)}.`);
}
