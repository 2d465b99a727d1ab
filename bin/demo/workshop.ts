// What the scripted agent works on beside this repository: the log, the timings and the settings of an invented importer,
// made from a seed in a folder that is deleted afterwards. Its trouble is planted: since the 13th the settings cut each
// file into batches of 64 KB, and every batch waits for the disk.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { barChart } from "./png.ts";
import type { Picture } from "./recorder.ts";

export type Workshop = {
  /** Stands for the project's folder; `demo-data` is in it. */
  readonly dir: string;
  readonly chart: Picture;
  /** Puts the settings back as they were. */
  reset(): void;
  remove(): void;
};

const DAYS = [8, 9, 10, 11, 12, 13, 14] as const;
const BAD_SINCE = 13;
const FILES_A_DAY = 26;
const GOOD_BATCH = 8 * 1024 * 1024;
const BAD_BATCH = 64 * 1024;
/** What one wait for the disk takes (milliseconds). */
const FLUSH_MS = 41;

const SETTINGS = {
  watch: { everyMs: 1000, idleEveryMs: 60_000 },
  import: { batchBytes: BAD_BATCH, batchMs: 200, keepRaw: true },
  search: { chars: 262_144 },
};

export function makeWorkshop(): Workshop {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-demo-"));
  const folder = join(dir, "demo-data");
  mkdirSync(folder);
  const runs = makeRuns();
  const reset = (): void => writeFileSync(join(folder, "settings.json"), `${JSON.stringify(SETTINGS, null, 2)}\n`);
  reset();
  writeFileSync(join(folder, "import.log"), logOf(runs));
  writeFileSync(join(folder, "check.mjs"), CHECK);
  writeTimings(join(folder, "timings.db"), runs);
  return { dir, chart: chartOf(runs), reset, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

type Run = { id: number; day: number; file: string; bytes: number; records: number; batches: number; parseMs: number };

const flushMs = (run: Run): number => run.batches * FLUSH_MS;
const dayName = (day: number): string => `2026-01-${String(day).padStart(2, "0")}`;

function makeRuns(): Run[] {
  const random = randomFrom(20260113);
  const projects = ["harbour", "ledger", "atlas", "quay", "lantern"];
  const runs: Run[] = [];
  for (const day of DAYS)
    for (let n = 0; n < FILES_A_DAY; n++) {
      const name = Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
      // Sizes as session files have them: most are small, a few are large.
      const bytes = Math.round(60_000 * Math.exp(random() * 5.2));
      runs.push({
        id: runs.length + 1,
        day,
        file: `${projects[Math.floor(random() * projects.length)]}/${name}.jsonl`,
        bytes,
        records: Math.ceil(bytes / 2100),
        batches: Math.ceil(bytes / (day >= BAD_SINCE ? BAD_BATCH : GOOD_BATCH)),
        parseMs: Math.ceil(bytes / 61_000),
      });
    }
  return runs;
}

function logOf(runs: readonly Run[]): string {
  const lines: string[] = [];
  let day = 0;
  let at = 0;
  const line = (level: string, text: string): void => {
    lines.push(`${new Date(at).toISOString()} ${level.padEnd(5)} ${text}`);
  };
  for (const run of runs) {
    if (run.day !== day) {
      day = run.day;
      at = Date.parse(`${dayName(day)}T02:00:00.000Z`);
      line("INFO", `importer started, ${FILES_A_DAY} files wait`);
      if (day === BAD_SINCE) line("WARN", `settings.json changed: import.batchBytes ${GOOD_BATCH} -> ${BAD_BATCH}`);
    }
    line("INFO", `open ${run.file} size=${run.bytes}`);
    at += run.parseMs;
    line("DEBUG", `parse ${run.file} records=${run.records} ms=${run.parseMs} problems=0`);
    // The log tells of each batch up to the twelfth, then of the last.
    for (let batch = 1; batch <= run.batches; batch++) {
      at += FLUSH_MS;
      if (batch <= 12 || batch === run.batches)
        line(
          "DEBUG",
          `flush ${run.file} batch=${batch}/${run.batches} ms=${FLUSH_MS} blobs=${(run.id * batch) % 7} rows=${(run.records / run.batches).toFixed(0)}`,
        );
    }
    at += 3;
    line("INFO", `done ${run.file} ms=${run.parseMs + flushMs(run) + 3}`);
    at += 250;
  }
  return `${lines.join("\n")}\n`;
}

function writeTimings(path: string, runs: readonly Run[]): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(
      "CREATE TABLE steps (id INTEGER PRIMARY KEY, day TEXT, file TEXT, step TEXT, bytes INTEGER, count INTEGER, ms INTEGER); BEGIN",
    );
    const insert = db.prepare("INSERT INTO steps (day, file, step, bytes, count, ms) VALUES (?, ?, ?, ?, ?, ?)");
    for (const run of runs) {
      const day = dayName(run.day);
      insert.run(day, run.file, "open", run.bytes, 1, 1);
      insert.run(day, run.file, "read", run.bytes, Math.ceil(run.bytes / 1_048_576), Math.ceil(run.bytes / 900_000));
      insert.run(day, run.file, "parse", run.bytes, run.records, run.parseMs);
      insert.run(day, run.file, "flush", run.bytes, run.batches, flushMs(run));
      insert.run(day, run.file, "close", run.bytes, 1, 2);
    }
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

const CHART = { width: 420, height: 140 };

function chartOf(runs: readonly Run[]): Picture {
  const sums = DAYS.map((day) =>
    runs.filter((run) => run.day === day).reduce((ms, run) => ms + run.parseMs + flushMs(run), 0),
  );
  const most = Math.max(...sums);
  const bars = sums.map((ms, i) => ({
    height: ms / most,
    colour: DAYS[i]! >= BAD_SINCE ? (3 as const) : (2 as const),
  }));
  return { bytes: barChart(bars, CHART.width, CHART.height), ...CHART };
}

/** The check of the invented project: really run, before and after the repair. */
const CHECK = `import { readFileSync } from "node:fs";
const { batchBytes } = JSON.parse(readFileSync("demo-data/settings.json", "utf8")).import;
const file = 10_000_000;
const flushes = Math.ceil(file / batchBytes);
const ms = flushes * ${FLUSH_MS};
console.log(\`import.batchBytes = \${batchBytes}: a file of 10 MB takes \${flushes} flushes, \${ms} ms\`);
if (ms > 1000) {
  console.error("FAIL  a file of 10 MB must be imported in 1000 ms");
  process.exit(1);
}
console.log("ok");
`;

/** A generator of numbers in [0, 1) that gives the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
