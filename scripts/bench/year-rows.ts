// What a person with 10,000 sessions of a year asks first: the home page, `plimsoll usage daily` beside ccusage, and what the server
// costs while nothing happens.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startServer, type Server } from "./bench-server.ts";
import { uuidOf, writeSession } from "./generate-sessions.ts";
import { ROOT, runPlimsoll } from "./measure-run.ts";
import { mb, median, ms, skipped, times, verdict, type Row } from "./table.ts";

const SESSIONS = 10_000;
const LINES = 16;
const DAY_MS = 86_400_000;
const RUNS = 5;
const COUNTING_MS = 240_000;
/** With one of the searches for new files, which come every minute. */
const IDLE_MS = 60_000;

export async function yearRows(work: string): Promise<Row[]> {
  const home = join(work, "agent");
  const logs = join(home, ".claude", "projects");
  const bytes = writeYear(logs, 9, LINES);
  const archive = join(work, "archive");
  await runPlimsoll(["import", logs, "--archive", archive]);
  const of = `${SESSIONS.toLocaleString("en")} sessions of a year, ${mb(bytes)}`;
  const rows = [await usageRow(of, { work, home, archive }), ...(await lookRows(of, archive))];
  const server = await startServer(work, archive, { sources: [logs] });
  try {
    rows.push(await homeRow(`${of}, while their tokens are counted`, server));
  } finally {
    await server.stop();
  }
  return [...rows, ...(await restRows(join(work, "rest")))];
}

/** Bytes of so many sessions, spread over a year. */
function writeYear(logs: string, run: number, lines: number): number {
  let bytes = 0;
  for (let i = 0; i < SESSIONS; i++) {
    const sessionId = uuidOf(run, i + 1);
    const project = `project-${i % 40}`;
    const startAt = Date.now() - Math.floor(((i + 1) / SESSIONS) * 365 * DAY_MS);
    const path = join(logs, project, `${sessionId}.jsonl`);
    bytes += writeSession({ path, sessionId, seed: i + 1, lines, project, startAt }).bytes;
  }
  return bytes;
}

/** As many sessions that are short: to count the tokens of long ones takes minutes, and to watch them costs the same. */
async function restRows(work: string): Promise<Row[]> {
  const [logs, archive] = [join(work, "logs"), join(work, "archive")];
  writeYear(logs, 8, 2);
  await runPlimsoll(["import", logs, "--archive", archive]);
  const server = await startServer(work, archive, { sources: [logs] });
  try {
    const isAtRest = await isCounted(server);
    const of = `${SESSIONS.toLocaleString("en")} sessions`;
    // Before a page is asked for: what that leaves behind is no rest.
    const idle = await idleRow(of, archive, isAtRest);
    return isAtRest ? [await homeRow(`${of} of a year, of two lines each, counted`, server), idle] : [idle];
  } finally {
    await server.stop();
  }
}

/** True when the tokens of all sessions are counted and the search has them; false when that was not so in time. */
async function isCounted(server: Server): Promise<boolean> {
  for (const deadline = performance.now() + COUNTING_MS; performance.now() < deadline; await setTimeout(2000)) {
    const findings = JSON.parse((await server.ask("GET", "/api/findings?limit=1")).text) as { waiting: number };
    const search = JSON.parse((await server.ask("GET", "/api/search?q=harbour&limit=1&facets=0")).text) as {
      index: { sessions: number; of: number };
    };
    if (findings.waiting > 0 || search.index.sessions < search.index.of) continue;
    await server.rests();
    return true;
  }
  return false;
}

async function homeRow(of: string, server: Server): Promise<Row> {
  const asked: number[] = [];
  const first: number[] = [];
  const headers = await signedIn(server);
  for (let run = -1; run < RUNS; run++) {
    const { ms: answer } = await server.ask("GET", "/api/home");
    const startedAt = performance.now();
    const page = await fetch(server.url, { headers });
    const html = await page.text();
    if (!html.includes("Avoidable this week")) throw new Error("The first page has no answer in it.");
    if (run < 0) continue;
    asked.push(answer);
    first.push(performance.now() - startedAt);
  }
  return {
    what: `the home page, with its answers: ${of}; GET /api/home alone`,
    measured: `${ms(median(first))}; ${ms(median(asked))}`,
    against: "",
    ratio: "",
    target: "≤ 300 ms",
    verdict: verdict(median(first) <= 300),
  };
}

async function signedIn({ link }: Server): Promise<Record<string, string>> {
  const answer = await fetch(link, { redirect: "manual" });
  const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]!);
  if (cookie.length === 0) throw new Error("The link signed nobody in.");
  return { cookie: cookie.join("; ") };
}

type Paths = { readonly work: string; readonly home: string; readonly archive: string };

/** CCUSAGE: the file of ccusage 20, which is not among the packages here: it reads the same files in the same run. */
async function usageRow(of: string, { work, home, archive }: Paths): Promise<Row> {
  const env = { ...process.env, HOME: home, NODE_COMPILE_CACHE: join(work, "compiled") };
  const program = [process.execPath, join(ROOT, "bin", "plimsoll.mjs")];
  const ours = [...program, "usage", "daily", "--json", "--timezone", "UTC", "--archive", archive];
  const path = process.env["CCUSAGE"];
  const theirs = path === undefined ? null : [path, "daily", "--json", "--offline", "--timezone", "UTC"];
  const empty = [process.execPath, "-e", "0"];
  const own: Spent[] = [];
  const other: Spent[] = [];
  const idle: number[] = [];
  for (let run = -1; run < RUNS; run++) {
    const one = await spent(ours, env);
    const two = theirs === null ? null : await spent(theirs, env);
    const three = await cpuOf(empty, env);
    if (run < 0) continue;
    idle.push(three.cpuMs);
    own.push(one);
    if (two !== null) other.push(two);
  }
  const cpu = median(own.map(({ cpuMs }) => cpuMs));
  const theirCpu = other.length === 0 ? null : median(other.map(({ cpuMs }) => cpuMs));
  const cost = other[0] === undefined ? "" : `; $${own[0]!.usd.toFixed(2)}, ccusage $${other[0].usd.toFixed(2)}`;
  return {
    what: `plimsoll usage daily: ${of}, processor time`,
    measured: `${ms(cpu)}${cost}`,
    against: `an empty Node ${ms(median(idle))}; ${theirCpu === null ? "CCUSAGE names no program" : `ccusage daily ${ms(theirCpu)}, ${times(cpu / theirCpu)}`}`,
    ratio: times(cpu / median(idle)),
    // A multiple of an empty Node would be met by any answer on a slow machine.
    target: "≤ 300 ms",
    verdict: verdict(cpu <= 300),
  };
}

/** Commands that look at all sessions, each in a way that once took half a minute: 1 ms for each of them is 10 s. */
async function lookRows(of: string, archive: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { words, most } of [
    { words: ["usage", "monthly", "--by", "tool"], most: 1000 },
    { words: ["sessions"], most: 10_000 },
  ]) {
    const { cpuMs, peakBytes } = await runPlimsoll([...words, "--archive", archive]);
    rows.push({
      what: `plimsoll ${words.join(" ")}: ${of}, processor time; peak memory`,
      measured: `${ms(cpuMs)}; ${mb(peakBytes)}`,
      against: "",
      ratio: "",
      target: `≤ ${ms(most)}; ≤ 512 MB`,
      verdict: verdict(cpuMs <= most, peakBytes <= 512e6),
    });
  }
  return rows;
}

type Spent = { readonly cpuMs: number; readonly usd: number };

async function spent(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Spent> {
  const { cpuMs, said } = await cpuOf(words, env);
  const { totals } = JSON.parse(said) as { totals: { totalCost: number } };
  return { cpuMs, usd: totals.totalCost };
}

/** Processor time of a program and its children, as the shell counts it. */
async function cpuOf(words: readonly string[], env: NodeJS.ProcessEnv): Promise<{ cpuMs: number; said: string }> {
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const child = spawn("bash", ["-c", `TIMEFORMAT='%U %S'; time ${quoted}`], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [said, times] = ["", ""];
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (times += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${words[0]} ended with status ${code}: ${times.slice(-300)}`);
  const seconds = times.trim().split("\n").at(-1)!.split(" ").map(Number);
  return { cpuMs: 1000 * (seconds[0]! + seconds[1]!), said };
}

/** Ticks of the server's process over a minute, with all its threads. */
async function idleRow(of: string, archive: string, isAtRest: boolean): Promise<Row> {
  const { pid } = JSON.parse(readFileSync(join(archive, "endpoint.json"), "utf8")) as { pid: number };
  const stat = `/proc/${pid}/stat`;
  const ticks = (): number => {
    const fields = readFileSync(stat, "utf8").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  const shared = { what: `the server while nothing happens: ${of}, watched`, ratio: "", target: "< 1 % of a core" };
  if (!isAtRest)
    return skipped(shared.what, shared.target, `tokens were still counted after ${COUNTING_MS / 60_000} min`);
  if (!existsSync(stat)) return { ...shared, measured: "not told here", against: "", verdict: "ok" };
  const from = ticks();
  await setTimeout(IDLE_MS);
  const share = ((ticks() - from) * 10) / IDLE_MS;
  return {
    ...shared,
    measured: `${(100 * share).toFixed(2)} % of a core`,
    against: `over ${IDLE_MS / 1000} s`,
    verdict: verdict(share < 0.01),
  };
}
