// Rows about a session that leaves the archive: carried on, restored, and as a bundle out and in again. A session of 100 MB, by the
// commands that a person types.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { runPlimsoll, type CommandRun } from "./measure-run.ts";
import { mb, median, ms, times, verdict, type Row } from "./table.ts";

const MB = 1e6;
const SEED = 700;
const PEAK_BYTES = 400 * MB;

export async function leaveRows(work: string, runs: number): Promise<Row[]> {
  const sessionId = uuidOf(SEED, 1);
  const folder = join(work, "home", ".claude", "projects", "-home-user-projects-harbour");
  const source = join(folder, `${sessionId}.jsonl`);
  writeSession({ path: source, sessionId, seed: SEED, bytes: 100 * MB });
  const archive = join(work, "leave-a");
  await plimsoll(archive, "import", source);
  const dir = (name: string): string => join(work, name);
  const bundle = (run: number): string => join(dir("bundles"), `${run}.plimsoll.zip`);
  mkdirSync(dir("bundles"), { recursive: true });

  const rows: Row[] = [];
  const add = async (what: string, limitMs: number, run: (n: number) => Promise<CommandRun>) => {
    const done: CommandRun[] = [];
    for (let n = 0; n < runs; n++) done.push(await run(n));
    rows.push(rowOf(what, limitMs, done));
  };
  await add("carried on, from a summary", 3000, () => plimsoll(archive, "carry-on", sessionId, "--tail", "2"));
  await add("carried on, as a fork", 3000, () => plimsoll(archive, "carry-on", sessionId, "--fork"));
  await add("restored to another folder", 2000, (n) =>
    plimsoll(archive, "restore", sessionId, "--to", dir(`restored-${n}`)),
  );
  await add("written as a bundle", 6000, (n) => plimsoll(archive, "export", sessionId, "--bundle", "--out", bundle(n)));
  const written = readdirSync(dir("bundles")).map((name) => statSync(join(dir("bundles"), name)).size);
  await add(`imported from its bundle (${mb(written[0]!)})`, 6000, (n) =>
    plimsoll(join(work, `bundled-${n}`), "import", bundle(n)),
  );
  const first = await plimsoll(join(work, "leave-b"), "import", source);
  const last = rows.at(-1)!;
  rows[rows.length - 1] = { ...last, against: `${ms(first.ms)} to import its file` };
  return rows;
}

const plimsoll = (archive: string, ...words: string[]): Promise<CommandRun> =>
  runPlimsoll([...words, "--archive", archive, "--json"]);

function rowOf(what: string, limitMs: number, done: readonly CommandRun[]): Row {
  const took = median(done.map((run) => run.ms));
  const peak = Math.max(...done.map(({ peakBytes }) => peakBytes));
  return {
    what: `a session of 100 MB ${what}`,
    measured: `${ms(took)}, peak ${mb(peak)}`,
    against: "",
    ratio: times(took / limitMs),
    target: `≤ ${ms(limitMs)}, ≤ ${mb(PEAK_BYTES)}`,
    verdict: verdict(took <= limitMs, peak <= PEAK_BYTES),
  };
}
