// Rows about starting: what a command takes, bundled and from its sources in turns, and how long a server that is built
// takes to its first page.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { bundledEntry } from "../bundle.mjs";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { ROOT, runPlimsoll } from "./measure-run.ts";
import { mb, median, ms, times, verdict, type Row } from "./table.ts";

const MB = 1e6;
const SESSIONS = 44;
const SESSION_BYTES = 0.5 * MB;
const FIRST_PAGE_MS = 1200;

const COMMANDS = [
  { words: ["--help"], cpuMs: 150, peakBytes: null },
  { words: ["sessions", "--json"], cpuMs: 300, peakBytes: 120 * MB },
] as const;

export async function startRows(work: string, runs: number): Promise<Row[]> {
  const logs = join(work, "logs");
  for (let seed = 1; seed <= SESSIONS; seed++) {
    const sessionId = uuidOf(seed, 1);
    writeSession({ path: join(logs, `${sessionId}.jsonl`), sessionId, seed, bytes: SESSION_BYTES });
  }
  const archive = join(work, "archive");
  await runPlimsoll(["import", logs, "--archive", archive]);
  return [...(await commandRows(work, archive, Math.max(runs, 5))), await firstPageRow(work, Math.max(runs, 5))];
}

async function commandRows(work: string, archive: string, runs: number): Promise<Row[]> {
  const bundled = bundledEntry("bin/plimsoll.ts");
  if (bundled === null) throw new Error("There is no bundle of these sources.");
  const rows: Row[] = [];
  for (const { words, cpuMs, peakBytes } of COMMANDS) {
    const ours: Usage[] = [];
    const theirs: Usage[] = [];
    // The first run of each leaves its compiled code for the others.
    for (let run = -1; run < runs; run++) {
      const one = await usageOf(work, join(ROOT, "bin", "plimsoll.mjs"), [...words, "--archive", archive]);
      const source = await usageOf(work, join(ROOT, "bin", "plimsoll.ts"), [...words, "--archive", archive]);
      if (one.said !== source.said) throw new Error(`plimsoll ${words[0]} says another thing from the bundle.`);
      if (run < 0) continue;
      ours.push(one);
      theirs.push(source);
    }
    const [cpu, sourceCpu] = [ours, theirs].map((all) => median(all.map((one) => one.cpuMs))) as [number, number];
    const [peak, sourcePeak] = [ours, theirs].map((all) => median(all.map((one) => one.peakBytes))) as [number, number];
    rows.push({
      what: `plimsoll ${words.join(" ")}${words[0] === "sessions" ? ` of ${SESSIONS} sessions` : ""}: processor time, peak memory`,
      measured: `${ms(cpu)}, ${mb(peak)}`,
      against: `from the sources ${ms(sourceCpu)}, ${mb(sourcePeak)}`,
      ratio: times(cpu / sourceCpu),
      target: `≤ ${ms(cpuMs)}${peakBytes === null ? "" : `, ≤ ${mb(peakBytes)}`}`,
      verdict: verdict(cpu <= cpuMs, peakBytes === null || peak <= peakBytes),
    });
  }
  return rows;
}

type Usage = { readonly cpuMs: number; readonly peakBytes: number; readonly said: string };

async function usageOf(work: string, program: string, words: readonly string[]): Promise<Usage> {
  const args = ["--import", join(ROOT, "scripts", "bench", "tell-usage.mjs"), program, ...words];
  const env = { ...process.env, HOME: work, NODE_COMPILE_CACHE: join(work, "compiled") };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit", "pipe"] });
  let said = "";
  let usage = "";
  child.stdout!.on("data", (chunk) => (said += String(chunk)));
  child.stdio[3]!.on("data", (chunk) => (usage += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`plimsoll ${words[0]} ended with status ${code}.`);
  return { ...(JSON.parse(usage) as { cpuMs: number; peakBytes: number }), said };
}

async function firstPageRow(work: string, runs: number): Promise<Row> {
  const took: number[] = [];
  for (let run = -1; run < runs; run++) {
    const one = await timeToFirstPage(work);
    if (run >= 0) took.push(one);
  }
  return {
    what: "npm start, built: until the first page is there (without npm itself)",
    measured: `${ms(median(took))}, at most ${ms(Math.max(...took))}`,
    against: "",
    ratio: "",
    target: `≤ ${ms(FIRST_PAGE_MS)}`,
    verdict: verdict(median(took) <= FIRST_PAGE_MS),
  };
}

/** As a person starts it, on an empty archive; HOME is empty too. */
async function timeToFirstPage(work: string): Promise<number> {
  const home = mkdtempSync(join(work, "home-"));
  mkdirSync(join(home, "sources"));
  const startedAt = performance.now();
  const words = ["start", "--no-open", "--port", "0", "--archive", join(home, "archive")];
  const child = spawn(
    process.execPath,
    [join(ROOT, "scripts", "cli.mjs"), ...words, "--sources", join(home, "sources")],
    { env: { ...process.env, HOME: home }, stdio: ["ignore", "pipe", "inherit"] },
  );
  const closed = once(child, "close");
  try {
    let said = "";
    const link = await new Promise<string>((done, failed) => {
      child.stdout.on("data", (chunk) => {
        said += String(chunk);
        const found = /http:\/\/\S+token=\S+/.exec(said);
        if (found !== null) done(found[0]);
      });
      void closed.then(() => failed(new Error(`The server ended: ${said}`)));
    });
    const signedIn = await fetch(link, { redirect: "manual" });
    const cookie = signedIn.headers.getSetCookie().map((one) => one.split(";")[0]);
    const page = await fetch(new URL("/", link), { headers: { cookie: cookie.join("; ") } });
    const text = await page.text();
    if (!page.ok || !text.includes("</html>")) throw new Error(`The first page was answered with ${page.status}.`);
    return performance.now() - startedAt;
  } finally {
    child.kill("SIGTERM");
    await closed;
  }
}
