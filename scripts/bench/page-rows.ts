// Rows about what a person waits for: lists at the server, pages in a real Chromium.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { random, uuidOf, writeSession } from "./generate-sessions.ts";
import { runTask } from "./measure-run.ts";
import { openedSession, scriptBytes } from "./bench-pages.ts";
import { sessionInteractions } from "./page-interactions.ts";
import { startServer, type Server } from "./bench-server.ts";
import { mb, median, ms, skipped, verdict, type Row } from "./table.ts";
import type { ImportResult } from "./tasks.ts";

const SESSIONS = 10_000;
const EVENTS = 20_000;
/** Memory is asked for while the server imports a file of this size. */
const IMPORTED_BYTES = 60e6;

export async function pageRows(work: string): Promise<Row[]> {
  const sources = join(work, "sessions");
  const archive = join(work, "archive");
  writeSessions(sources);
  await runTask<ImportResult>("import", { paths: [sources], dir: archive });
  const server = await startServer(work, archive);
  try {
    return [...(await listRows(server)), ...(await browserRows(server)), await memoryRow(work, server)];
  } finally {
    await server.stop();
  }
}

/** Small sessions in forty projects over half a year, and one long one. */
function writeSessions(folder: string): void {
  const next = random(7);
  for (let i = 0; i < SESSIONS; i++) {
    const sessionId = uuidOf(10_000 + i, 1);
    const project = `/home/user/projects/harbour-${Math.floor(next() * 40)}`;
    const startAt = Date.UTC(2026, 0, 1) + Math.floor(next() * 180) * 86_400_000;
    writeSession({ path: join(folder, `${sessionId}.jsonl`), sessionId, seed: 10_000 + i, lines: 6, project, startAt });
  }
  const sessionId = uuidOf(77, 1);
  const startAt = Date.UTC(2026, 11, 1);
  writeSession({
    path: join(folder, `${sessionId}.jsonl`),
    sessionId,
    seed: 77,
    lines: EVENTS,
    project: "/home/user/long",
    startAt,
  });
}

async function listRows(server: Server): Promise<Row[]> {
  const request = {
    open: "",
    filter: "project=/home/user/projects/harbour-7&state=near",
    sort: "sort=peak&dir=desc",
    "sort by name": "sort=title&dir=asc",
    "search, a rare word": "q=barnacle9999",
    "search, a common word": "q=harbour",
  };
  const took: [string, number][] = [];
  for (const [name, query] of Object.entries(request)) {
    const times: number[] = [];
    for (let i = 0; i < 8; i++) times.push((await server.ask("GET", `/api/sessions?${query}`)).ms);
    took.push([name, median(times.slice(1))]);
  }
  const total = (JSON.parse((await server.ask("GET", "/api/sessions")).text) as { total: number }).total;
  const worst = Math.max(...took.map(([, time]) => time));
  return [
    {
      what: `sessions table of ${total.toLocaleString("en")} sessions, at the server`,
      measured: took.map(([name, time]) => `${name} ${ms(time)}`).join(", "),
      against: "",
      ratio: "",
      target: "≤ 100 ms each",
      verdict: verdict(worst <= 100, total >= SESSIONS),
    },
  ];
}

async function browserRows(server: Server): Promise<Row[]> {
  const sessionTarget = "≤ 300 ms, ≤ 1 s; no frame over 100 ms, p95 ≤ 33 ms; ≤ 200 MB";
  const scriptTarget = "≤ 250 kB";
  const what = `a session of ${EVENTS.toLocaleString("en")} events in Chromium`;
  const sent = await scriptBytes(server);
  if (sent === null)
    return [
      skipped(what, sessionTarget, "no Chromium here: name one with CHROMIUM_PATH"),
      skipped("scripts sent for the sessions page", scriptTarget, "no Chromium here"),
    ];
  const { sessions } = JSON.parse((await server.ask("GET", "/api/sessions?project=/home/user/long")).text) as {
    sessions: { id: string }[];
  };
  // A server that was just started counts tokens beside, on one of the two processors.
  const busy = await openedSession(server, sessions[0]!.id);
  await server.rests();
  const opened = await openedSession(server, sessions[0]!.id);
  return [
    {
      what,
      measured: `first content ${ms(opened.firstContentMs)}, all ${ms(opened.readyMs)}; frames p95 ${ms(opened.frameP95Ms)}, longest ${ms(opened.frameMaxMs)} of ${opened.frames}; heap ${mb(opened.heapBytes)}`,
      against: `${ms(busy.firstContentMs)}, ${ms(busy.readyMs)} while the server counts tokens`,
      ratio: "",
      target: sessionTarget,
      verdict: verdict(
        opened.firstContentMs <= 300,
        opened.readyMs <= 1000,
        opened.frameMaxMs <= 100,
        opened.frameP95Ms <= 33.4,
        opened.heapBytes <= 200e6,
      ),
    },
    {
      what: "scripts sent for the sessions page",
      measured: `${Math.round(sent / 1000)} kB as sent`,
      against: "",
      ratio: "",
      target: scriptTarget,
      verdict: verdict(sent <= 250_000),
    },
    ...(await interactionRows(server, sessions[0]!.id)),
  ];
}

/** Pressed on every tab of the long session: until the next paint, and what moved without a press. */
async function interactionRows(server: Server, id: string): Promise<Row[]> {
  const tabs = await sessionInteractions(server, id);
  const delays = tabs.flatMap(({ delaysMs }) => delaysMs).toSorted((a, b) => a - b);
  const p95 = delays[Math.floor(delays.length * 0.95)]!;
  const shift = Math.max(...tabs.map(({ layoutShift }) => layoutShift));
  const what = `a session of ${EVENTS.toLocaleString("en")} events:`;
  return [
    {
      what: `${what} interaction to next paint`,
      measured: `p95 ${ms(p95)} of ${delays.length}; longest ${tabs.map(({ tab, delaysMs }) => `${tab} ${ms(Math.max(...delaysMs))}`).join(", ")}`,
      against: "",
      ratio: "",
      target: "p95 ≤ 100 ms",
      verdict: verdict(p95 <= 100, tabs.length >= 6, delays.length >= 60),
    },
    {
      what: `${what} layout shift (CLS) of each tab`,
      measured: tabs.map(({ tab, layoutShift }) => `${tab} ${layoutShift.toFixed(3)}`).join(", "),
      against: "",
      ratio: "",
      target: "< 0.05 each",
      verdict: verdict(shift < 0.05, tabs.length >= 6),
    },
  ];
}

async function memoryRow(work: string, server: Server): Promise<Row> {
  const what = `server: peak memory, while it imports a file of ${mb(IMPORTED_BYTES)}`;
  const target = "≤ 900 MB";
  const sessionId = uuidOf(78, 1);
  const folder = join(work, "more");
  mkdirSync(folder);
  writeSession({ path: join(folder, `${sessionId}.jsonl`), sessionId, seed: 78, bytes: IMPORTED_BYTES });
  await server.ask("POST", "/api/commands/import", { paths: [folder] });
  const peak = server.peakBytes();
  if (peak === null) return skipped(what, target, "this system does not tell");
  return { what, measured: mb(peak), against: "", ratio: "", target, verdict: verdict(peak <= 900 * 1024 * 1024) };
}
