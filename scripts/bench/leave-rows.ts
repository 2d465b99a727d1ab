// Rows about a session that leaves the archive: carried on, restored, and as a bundle out and in again. A session of 100 MB, by the
// commands that a person types. Targets are of the machine that NODE_MS was measured on. A slower or busy one is judged by the time of
// the processor, beside that of its empty Node: how long a command waits for its turn says nothing of it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { runPlimsoll, runTask, type CommandRun } from "./measure-run.ts";
import { mb, median, ms, startTarget, times, verdict, type Row } from "./table.ts";
import type { PackResult } from "./tasks.ts";

const MB = 1e6;
const SEED = 700;
const PEAK_BYTES = 400 * MB;
/** What took this long is measured once: the whole part is to end within some minutes on a slow machine too. */
const LONG_MS = 12_000;

/** What the same machine takes for less: an empty Node, and the bytes of the session read, digested and packed. */
type Floors = { readonly emptyCpuMs: number; readonly packCpuMs: number };

export async function leaveRows(work: string, runs: number): Promise<Row[]> {
  const sessionId = uuidOf(SEED, 1);
  const folder = join(work, "home", ".claude", "projects", "-home-user-projects-harbour");
  const source = join(folder, `${sessionId}.jsonl`);
  writeSession({ path: source, sessionId, seed: SEED, bytes: 100 * MB });
  const archive = join(work, "leave-a");
  const imported = await plimsoll(archive, "import", source);
  const floors = await floorsOf(source);
  const dir = (name: string): string => join(work, name);
  const bundle = (run: number): string => join(dir("bundles"), `${run}.plimsoll.zip`);
  mkdirSync(dir("bundles"), { recursive: true });

  const rows: Row[] = [];
  const add = async (what: string, limitMs: number, run: (n: number) => Promise<CommandRun>, more = "") => {
    const done: CommandRun[] = [];
    for (let n = 0; n < runs && (n === 0 || done[0]!.ms < LONG_MS); n++) done.push(await run(n));
    rows.push(rowOf(what, limitMs, done, floors, more));
  };
  await add("carried on, from a summary", 3000, () => plimsoll(archive, "carry-on", sessionId, "--tail", "2"));
  await add("carried on, as a fork", 3000, () => plimsoll(archive, "carry-on", sessionId, "--fork"));
  await add("restored to another folder", 2000, (n) =>
    plimsoll(archive, "restore", sessionId, "--to", dir(`restored-${n}`)),
  );
  await add("written as a bundle", 6000, (n) => plimsoll(archive, "export", sessionId, "--bundle", "--out", bundle(n)));
  const written = readdirSync(dir("bundles")).map((name) => statSync(join(dir("bundles"), name)).size);
  await add(
    `imported from its bundle (${mb(written[0]!)})`,
    6000,
    (n) => plimsoll(join(work, `bundled-${n}`), "import", bundle(n)),
    `; its file imported: ${ms(imported.cpuMs)}`,
  );
  return rows;
}

async function floorsOf(path: string): Promise<Floors> {
  const packed = await runTask<PackResult>("pack", { paths: [path] });
  const empty: number[] = [];
  for (let n = 0; n < 5; n++) empty.push(emptyCpuMs());
  return { emptyCpuMs: median(empty), packCpuMs: packed.cpuMs };
}

/** The time of the processor that Node takes to start and to say it. */
function emptyCpuMs(): number {
  const said = "const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)";
  return Number(execFileSync(process.execPath, ["-e", said], { encoding: "utf8" }));
}

const plimsoll = (archive: string, ...words: string[]): Promise<CommandRun> =>
  runPlimsoll([...words, "--archive", archive, "--json"]);

function rowOf(
  what: string,
  limitMs: number,
  done: readonly CommandRun[],
  { emptyCpuMs: emptyMs, packCpuMs }: Floors,
  more: string,
): Row {
  const took = median(done.map((run) => run.ms));
  const cpuMs = median(done.map((run) => run.cpuMs));
  const peak = Math.max(...done.map(({ peakBytes }) => peakBytes));
  const { target, ratio, verdict: byProcessor } = startTarget(cpuMs, emptyMs, limitMs);
  return {
    what: `a session of 100 MB ${what}`,
    measured: `${ms(took)}, processor ${ms(cpuMs)}, peak ${mb(peak)}`,
    against: `its bytes read, digested, packed: processor ${ms(packCpuMs)} (${times(cpuMs / packCpuMs)})${more}`,
    ratio: `${ratio} an empty Node of ${ms(emptyMs)}`,
    target: `${target} (processor); ≤ ${mb(PEAK_BYTES)}`,
    verdict: verdict(took <= limitMs || byProcessor === "ok", peak <= PEAK_BYTES),
  };
}
