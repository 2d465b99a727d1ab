// The status line of a session of 20,000 events: a process each time, as an agent starts it, with a server and without.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startServer } from "./bench-server.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { ROOT, runPlimsoll } from "./measure-run.ts";
import { median, ms, startTarget, type Row } from "./table.ts";

const EVENTS = 20_000;
const RUNS = 21;
const MOST_MS = 60;

export async function statuslineRows(work: string): Promise<Row[]> {
  const sessionId = uuidOf(1, 1);
  const path = join(work, "logs", `${sessionId}.jsonl`);
  // A record of the generator is 1.1 events.
  writeSession({ path, sessionId, seed: 1, lines: EVENTS });
  const dir = join(work, "archive");
  await runPlimsoll(["import", path, "--archive", dir]);
  const alone = await measured(work, dir, sessionId);
  const server = await startServer(work, dir);
  try {
    await server.rests();
    return [row("with a server", await measured(work, dir, sessionId)), row("without a server", alone)];
  } finally {
    await server.stop();
  }
}

type Measured = { readonly ours: number; readonly empty: number };

/** In turns with a Node that does nothing; the first run leaves its compiled code for the others. */
async function measured(work: string, archive: string, session: string): Promise<Measured> {
  const words = [join(ROOT, "bin", "plimsoll.mjs"), "statusline", session, "--archive", archive, "--no-color"];
  const ours: number[] = [];
  const empty: number[] = [];
  for (let run = -1; run < RUNS; run++) {
    const one = await took(work, words);
    if (!/ \d+ % /.test(one.said)) throw new Error(`The status line says: ${one.said}`);
    const nothing = await took(work, ["-e", "0"]);
    if (run < 0) continue;
    ours.push(one.ms);
    empty.push(nothing.ms);
  }
  return { ours: median(ours), empty: median(empty) };
}

async function took(work: string, words: readonly string[]): Promise<{ ms: number; said: string }> {
  const env = { ...process.env, HOME: work, NODE_COMPILE_CACHE: join(work, "compiled") };
  const startedAt = performance.now();
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`The status line ended with status ${code}.`);
  return { ms: performance.now() - startedAt, said };
}

const row = (how: string, { ours, empty }: Measured): Row => ({
  what: `plimsoll statusline on a session of 20,000 events, ${how}, median of ${RUNS}`,
  measured: ms(ours),
  against: `a Node that does nothing ${ms(empty)}`,
  ...startTarget(ours, empty, MOST_MS),
});
