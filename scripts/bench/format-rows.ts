// A row for each format: its import, durable, against reading and JSON.parse-ing the same bytes, at two sizes, in turns. Logs of
// Inspect AI are also zips, with a file for each sample: there reading is unpacking.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_FORMATS } from "#lib/archive/import/known-formats.ts";
import type { KnownFormat } from "#lib/wire/sources-schema.ts";
import { grownFile, packedLog, type Grown } from "./grown-files.ts";
import { runTask } from "./measure-run.ts";
import { mb, median, ms, times, verdict, type Row } from "./table.ts";
import type { ImportResult, ParseResult } from "./tasks.ts";

const SIZES = [4e6, 16e6] as const;
const [MOST, PEAK] = [10, 512e6] as const;
/** Bytes of an event of the sessions that were collected, 51 MB of eight agents and tools. */
const EVENT_BYTES: Readonly<Record<string, number>> = {
  ...{
    "claude-code": 2590,
    codex: 1510,
    pi: 788,
    copilot: 1011,
    openhands: 2022,
    "swe-agent": 2553,
    atif: 1402,
    messages: 2440,
  },
};
/** … of the others: the median of the eight. */
const OTHERS = 1766;
/** What four times the bytes may take, against four times the time. */
const LINEAR = 1.5;

/**
 * All formats, or that of an id. Their archives stay until the bench ends: for five minutes after files were deleted, ext4 without a
 * journal looks through their inodes for each new file, which took up to 200 ms of 800.
 */
export async function formatRows(work: string, runs: number, part: string | null = null): Promise<Row[]> {
  const rows: Row[] = [];
  for (const format of KNOWN_FORMATS.filter(({ id }) => part === null || id === part)) {
    const each = await recordBytes(work, format);
    const { label } = format;
    const kinds: Kind[] = [{ label, floor: "parse", file: (size) => grownFile(format, size, each) }];
    if (format.id === "inspect")
      kinds.push({ label: `${label}, .eval`, floor: "parseZip", file: (size) => packedLog(format, size, each) });
    for (const [i, kind] of kinds.entries()) {
      const row = await rowOf(join(work, `${format.id}-${i}`), kind, runs);
      // All of them take minutes.
      console.error(`${kind.label} ${row.ratio} ${row.measured}`);
      rows.push(row);
    }
  }
  return rows;
}

type Kind = {
  readonly label: string;
  readonly floor: "parse" | "parseZip";
  readonly file: (size: number) => Grown | Promise<Grown>;
};

type Measured = {
  readonly bytes: number;
  readonly floor: number;
  readonly took: number;
  readonly peak: number;
};

async function rowOf(work: string, { label, floor, file }: Kind, runs: number): Promise<Row> {
  const measured: Measured[] = [];
  for (const [i, size] of SIZES.entries()) {
    const path = written(join(work, String(i)), await file(size));
    const floors: ParseResult[] = [];
    const imports: ImportResult[] = [];
    for (let run = 0; run < runs; run++) {
      floors.push(await runTask<ParseResult>(floor, { paths: [path] }));
      const dir = join(work, `archive-${i}-${run}`);
      const own = await runTask<ImportResult>("import", { paths: [path], dir });
      if (own.events < 2) throw new Error(`${label} read no events of ${path}.`);
      imports.push(own);
    }
    measured.push({
      bytes: floors[0]!.bytes,
      floor: median(floors.map(({ cpuMs }) => cpuMs)),
      took: median(imports.map(({ cpuMs }) => cpuMs)),
      peak: Math.max(...imports.map(({ peakBytes }) => peakBytes)),
    });
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

/** How long a record has to be for its events to be as long as collected ones: a record may hold many. */
async function recordBytes(work: string, format: KnownFormat): Promise<number> {
  const asked = EVENT_BYTES[format.id] ?? OTHERS;
  const tried = join(work, `${format.id}-tried`);
  const path = written(tried, grownFile(format, 1e6, asked));
  const { bytes, events } = await runTask<ImportResult>("import", { paths: [path], dir: join(tried, "archive") });
  return (asked * asked * events) / bytes;
}

function written(folder: string, { name, content }: Grown): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
}
