// Search over 1,000,000 events: how long words, phrases, prefixes and fields take, and what the index costs. Processor time
// stands beside, for a busy machine bends the rest.
import { statSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { searchQuery } from "#lib/wire/search-schema.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { runPlimsoll } from "./measure-run.ts";
import { mb, ms, times, verdict, type Row } from "./table.ts";

const SESSIONS = 1000;
const LINES = 1000;
const ROUNDS = 3;
const MOST_BYTES = 512e6;

const QUERIES = [
  "harbour",
  "keel tiller",
  '"anchor ballast"',
  "moor*",
  "h*",
  "harbour tool:Bash",
  "keel is:error",
  "tide type:user",
].concat([
  "pier -plank",
  "file:src/*",
  "tool:Read tokens:>1k",
  "capstan project:project-7",
  "barnacle",
  "wake after:2026-01-01",
]);

export async function searchRows(work: string): Promise<Row[]> {
  let bytes = 0;
  for (let i = 0; i < SESSIONS; i++) {
    const sessionId = uuidOf(5, i + 1);
    const path = join(work, "logs", `${sessionId}.jsonl`);
    bytes += writeSession({ path, sessionId, seed: i + 1, lines: LINES, project: `project-${i % 40}` }).bytes;
  }
  const dir = join(work, "archive");
  await runPlimsoll(["import", join(work, "logs"), "--archive", dir]);
  const archive = await openArchive({ dir, host: systemHost(), mode: "read" });
  try {
    const from = process.cpuUsage();
    await fillIndex(archive);
    const indexing = spent(from);
    const events = archive.sqlite.prepare("SELECT count(*) FROM events").pluck().get() as number;
    const first = await measured(archive, "0");
    const whole = await measured(archive, "1");
    const of = `search in ${events.toLocaleString("en")} events`;
    const { rss } = process.memoryUsage();
    return [
      row(`${of}: first results`, first, 100, rss),
      row(`${of}: with counts`, whole, 250, rss),
      {
        what: `indexing ${mb(bytes)}: processor time; size`,
        measured: `${ms(indexing)}, ${(indexing / (bytes / 1e6)).toFixed(0)} ms a MB; ${mb(statSync(join(dir, "search.db")).size)}`,
        against: `the files ${mb(bytes)}`,
        ratio: times(statSync(join(dir, "search.db")).size / bytes),
        target: "told",
        verdict: "ok",
      },
    ];
  } finally {
    await closeArchive(archive);
  }
}

type Measured = { readonly wall: readonly number[]; readonly cpu: readonly number[] };

async function measured(archive: Archive, facets: "0" | "1"): Promise<Measured> {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const q of QUERIES) {
      const from = process.cpuUsage();
      const startedAt = performance.now();
      await searchArchive(archive, searchQuery.parse({ q, facets }));
      // The first round reads the file.
      if (round === 0) continue;
      wall.push(performance.now() - startedAt);
      cpu.push(spent(from));
    }
  return { wall: wall.toSorted((a, b) => a - b), cpu: cpu.toSorted((a, b) => a - b) };
}

const spent = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

const at = (values: readonly number[], share: number): number => values[Math.floor(share * (values.length - 1))]!;

const row = (what: string, { wall, cpu }: Measured, most: number, rss: number): Row => ({
  what: `${what}, ${QUERIES.length} queries`,
  measured: `median ${ms(at(wall, 0.5))}, p95 ${ms(at(wall, 0.95))}; memory ${mb(rss)}`,
  against: `processor time: median ${ms(at(cpu, 0.5))}, p95 ${ms(at(cpu, 0.95))}`,
  ratio: "",
  target: `p95 ≤ ${most} ms, ≤ 512 MB`,
  verdict: verdict(at(wall, 0.95) <= most, rss <= MOST_BYTES),
});
