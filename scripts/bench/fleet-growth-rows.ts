// A session that goes on while its laptop is followed: what a node does each time something came, against its first reading.
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { sendSessions } from "#lib/fleet/send-sessions.ts";
import { catalogued } from "./fleet-send-rows.ts";
import { askNode, type BenchServices } from "./fleet-services.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { mb, median, ms, times, verdict, type Row } from "./table.ts";

const FIRST_BYTES = 8_000_000;
const CAME_BYTES = 50_000;
const TIMES = 8;
/** A first session is read before, and not counted: code is compiled. */
const SEEDS = [500, 501] as const;
/** Of the first reading (ours). */
const MOST = 0.5;

export async function growthRows(services: BenchServices, work: string): Promise<Row[]> {
  const bench = await services.fleet("grown");
  const archive = await openArchive({ dir: join(work, "laptop"), host: systemHost() });
  try {
    const node = await bench.node("node");
    let [read, first] = [0, 0];
    const later: number[] = [];
    for (const seed of SEEDS) {
      const grow = growing(join(work, "logs"), seed);
      for (let n = 0; n <= TIMES; n++) {
        grow(FIRST_BYTES + n * CAME_BYTES);
        await importPaths(archive, [join(work, "logs")]);
        await sendSessions(archive, {
          ...{ to: node.url!, token: bench.token, project: "bench", sender: "laptop", sessions: null },
          ...{ exclude: [], mask: "none", dryRun: false },
        });
        await catalogued(bench);
        const before = read;
        read = await readMs(node);
        if (seed !== SEEDS[1]) continue;
        if (n === 0) first = read - before;
        else later.push(read - before);
      }
    }
    const ratio = median(later) / first;
    return [
      {
        what: `a session of ${mb(FIRST_BYTES)} to which ${CAME_BYTES / 1000} kB come: a node reads it again, median of ${TIMES}`,
        measured: ms(median(later)),
        against: `its first reading: ${ms(first)}`,
        ratio: times(ratio),
        target: `≤ ${MOST}× (ours)`,
        verdict: verdict(ratio <= MOST),
      },
    ];
  } finally {
    await closeArchive(archive);
    await bench.close();
  }
}

/** What the node has spent on commits so far (ms). */
async function readMs(node: Parameters<typeof askNode>[0]): Promise<number> {
  const { text } = await askNode(node, "/metrics");
  return 1000 * Number(/^plimsoll_catalogue_seconds_sum (\S+)/m.exec(text)![1]);
}

/** A session file that becomes as long as it is asked to be, and ends with a line. */
function growing(dir: string, seed: number): (bytes: number) => void {
  const sessionId = uuidOf(seed, 1);
  const whole = join(dir, "..", `${sessionId}.whole`);
  writeSession({
    path: whole,
    sessionId,
    seed,
    bytes: FIRST_BYTES + (TIMES + 1) * CAME_BYTES,
    project: "/home/user/harbour",
  });
  const content = readFileSync(whole);
  const path = join(dir, "projects", "-home-user-harbour", `${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  let written = 0;
  return (bytes) => {
    const end = content.indexOf(10, bytes) + 1;
    appendFileSync(path, content.subarray(written, end));
    written = end;
  };
}
