// A row for each format: its import, durable, against reading and JSON.parse-ing the same bytes, at two sizes, in turns. Logs of
// Inspect AI are also zips, with a file for each sample: there reading is unpacking.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_FORMATS } from "#lib/archive/import/known-formats.ts";
import type { KnownFormat } from "#lib/wire/sources-schema.ts";
import { collectedRows } from "./collected-rows.ts";
import { grownFile, packedLog, type Density, type Grown } from "./grown-files.ts";
import { inTurns, MOST, PEAK, type Measured } from "./import-turns.ts";
import { runTask } from "./measure-run.ts";
import { mb, ms, times, verdict, type Row } from "./table.ts";
import type { ImportResult } from "./tasks.ts";

const SIZES = [4e6, 16e6] as const;

/**
 * Bytes of an event of the sessions that were collected, 51 MB of eight agents and tools, and of 1,000 bytes how many are text that
 * events show. The rest is what clients add for themselves, ids, usage, signatures, and the frame.
 */
const COLLECTED: Readonly<Record<string, Density>> = {
  "claude-code": { bytes: 2590, shown: 0.23 },
  codex: { bytes: 1510, shown: 0.709 },
  pi: { bytes: 788, shown: 0.51 },
  copilot: { bytes: 1011, shown: 0.326 },
  openhands: { bytes: 2022, shown: 0.361 },
  "swe-agent": { bytes: 2553, shown: 0.295 },
  atif: { bytes: 1402, shown: 0.261 },
  messages: { bytes: 2440, shown: 0.65 },
};
/** … of the others: the medians of the eight. */
const OTHERS: Density = { bytes: 1766, shown: 0.344 };
/** Hard cases beside: all that grows is shown. */
const SHOWN_WHOLE = ["claude-code", "pi", "zed"];
/** What four times the bytes may take, against four times the time. */
const LINEAR = 1.5;

/**
 * All formats, or that of an id. Their archives stay until the bench ends: for five minutes after files were deleted, ext4 without a
 * journal looks through their inodes for each new file, which took up to 200 ms of 800.
 */
export async function formatRows(work: string, runs: number, part: string | null = null): Promise<Row[]> {
  const rows: Row[] = [];
  for (const format of KNOWN_FORMATS.filter(({ id }) => part === null || id === part)) {
    const { usual, whole } = await densitiesOf(work, format);
    const { label } = format;
    const kinds: Kind[] = [{ label, floor: "parse", file: (size) => grownFile(format, size, usual) }];
    if (format.id === "inspect")
      kinds.push({ label: `${label}, .eval`, floor: "parseZip", file: (size) => packedLog(format, size, usual) });
    if (SHOWN_WHOLE.includes(format.id))
      kinds.push({ label: `${label}, texts alone`, floor: "parse", file: (size) => grownFile(format, size, whole) });
    for (const [i, kind] of kinds.entries()) {
      const row = await rowOf(join(work, `${format.id}-${i}`), kind, runs);
      // All of them take minutes.
      console.error(`${kind.label} ${row.ratio} ${row.measured}`);
      rows.push(row);
    }
  }
  return [...rows, ...(await collectedRows(work, runs, part))];
}

type Kind = {
  readonly label: string;
  readonly floor: "parse" | "parseZip";
  readonly file: (size: number) => Grown | Promise<Grown>;
};

async function rowOf(work: string, { label, floor, file }: Kind, runs: number): Promise<Row> {
  const measured: Measured[] = [];
  for (const [i, size] of SIZES.entries()) {
    const path = written(join(work, String(i)), await file(size));
    measured.push(await inTurns({ floor, paths: [path], dir: join(work, `archive-${i}`), runs }));
  }
  const [small, large] = measured as [Measured, Measured];
  const ratio = large.took / large.floor;
  // What an import costs once is a part of the small one.
  const growth = large.took / large.bytes / (small.took / small.bytes);
  return {
    what: `import of ${label}: ${mb(large.bytes)}, processor time; peak memory`,
    measured: `${ms(large.took)}; ${mb(large.peak)}`,
    against: `read and JSON.parse; ${mb(small.bytes)}: ${times(small.took / small.floor)}; what is more of the large one: ${times((large.took - small.took) / (large.floor - small.floor))}`,
    ratio: times(ratio),
    target: `≤ ${MOST}×; per byte ≤ ${LINEAR}× of the small one; ≤ ${mb(PEAK)}`,
    verdict: verdict(ratio <= MOST, growth <= LINEAR, large.peak <= PEAK),
  };
}

/** How long a record has to be for its events to be as long as collected ones, as it may hold many, and how much of it is shown. */
async function densitiesOf(
  work: string,
  format: KnownFormat,
): Promise<{ readonly usual: Density; readonly whole: Density }> {
  const asked = COLLECTED[format.id] ?? OTHERS;
  const tried = async (shown: 0 | 1): Promise<ImportResult> => {
    const folder = join(work, `${format.id}-tried-${shown}`);
    const path = written(folder, grownFile(format, 1e6, { bytes: asked.bytes, shown }));
    return runTask<ImportResult>("import", { paths: [path], dir: join(folder, "archive") });
  };
  const [none, all] = [await tried(0), await tried(1)];
  const each = (asked.bytes * asked.bytes * all.events) / all.bytes;
  // Formats repeat a text, or leave one out, and what a fixture says before it grows is shown, too.
  const [least, most] = [none.shownBytes / none.bytes, all.shownBytes / all.bytes];
  const shown = most <= asked.shown ? 1 : Math.max(0, (asked.shown - least) / (most - least));
  return { usual: { bytes: each, shown }, whole: { bytes: each, shown: 1 } };
}

function written(folder: string, { name, content }: Grown): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
}
