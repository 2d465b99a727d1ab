// The memory of a node while it catalogues a gigabyte of session files, and whether its cache stays within its bound.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { sendSessions } from "#lib/fleet/send-sessions.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { askNode, peakBytes, whileNobodyReads, type BenchFleet, type BenchServices } from "./fleet-services.ts";
import { mb, verdict, type Row } from "./table.ts";

const FILES = 128;
const FILE_BYTES = 8_000_000;
const CACHE_BYTES = 200_000_000;
/** What is not read by then is not counted. */
const MOST_MS = 15 * 60_000;

export async function memoryRows(services: BenchServices, work: string): Promise<Row[]> {
  const bench = await services.fleet("catalogued");
  try {
    const written = await send(bench, work);
    const node = await bench.node("cataloguer", { PLIMSOLL_CACHE_BYTES: String(CACHE_BYTES) });
    const startedAt = performance.now();
    let cache = 0;
    let left = FILES;
    while (left > 0 && performance.now() - startedAt < MOST_MS) {
      await setTimeout(200);
      const { text } = await askNode(node, "/metrics");
      cache = Math.max(cache, Number(/^plimsoll_cache_bytes (\S+)/m.exec(text)?.[1] ?? 0));
      const [row] = await bench.fleet.sql<
        { n: number }[]
      >`SELECT count(*) AS n FROM commits WHERE state IN ('waiting', 'claimed')`;
      left = row!.n;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const peak = peakBytes(node.pid!) ?? Number.NaN;
    // What it has under way comes and goes in its folder.
    await node.end();
    const read = (written * (FILES - left)) / FILES;
    const [sizes] = await bench.fleet.sql<
      { database: number; bucket: number; sessions: number }[]
    >`SELECT pg_database_size(current_database()) AS database, (SELECT sum(bytes)::bigint FROM objects) AS bucket,
        (SELECT count(*) FROM sessions) AS sessions`;
    console.error(
      `  ${sizes!.sessions} sessions, ${mb(written)} of files: ${mb(sizes!.database)} in the database, ${mb(sizes!.bucket)} in the bucket`,
    );
    return [
      {
        what: `memory of a node while it catalogues ${mb(read)} of session files`,
        measured: `${mb(peak)}, in ${seconds.toFixed(0)} s (${mb(read / seconds)}/s); its cache at most ${mb(cache)}, its folder ${mb(folderBytes(join(work, "catalogued", "cataloguer", "archive")))}`,
        against: `cache bound ${mb(CACHE_BYTES)}`,
        ratio: "",
        target: "≤ 900 MB; never over its bound",
        verdict: verdict(peak <= 900e6, cache <= CACHE_BYTES, left === 0),
      },
    ];
  } finally {
    await bench.close();
  }
}

/** Sends them to a node that ends before it has read them all. */
async function send(bench: BenchFleet, work: string): Promise<number> {
  const archive = await openArchive({ dir: join(work, "sender"), host: systemHost() });
  let bytes = 0;
  try {
    for (let n = 0; n < FILES; n++) {
      const sessionId = uuidOf(n + 1001, 1);
      const path = join(work, "gigabyte", "projects", "-home-user-harbour", `${sessionId}.jsonl`);
      bytes += writeSession({
        path,
        sessionId,
        seed: n + 1001,
        bytes: FILE_BYTES,
        project: "/home/user/harbour",
      }).bytes;
    }
    await importPaths(archive, [join(work, "gigabyte")]);
    const node = await bench.node("receiver");
    await whileNobodyReads(bench.fleet, async () => {
      await sendSessions(archive, {
        ...{ to: node.url!, token: bench.token, project: "bench", sender: "laptop", sessions: null },
        ...{ exclude: [], mask: "none", dryRun: false },
      });
      await node.end();
    });
    return bytes;
  } finally {
    await closeArchive(archive);
  }
}

function folderBytes(dir: string): number {
  return readdirSync(dir, { withFileTypes: true, recursive: true }).reduce(
    (sum, one) => sum + (one.isFile() ? statSync(join(one.parentPath, one.name)).size : 0),
    0,
  );
}
