// Rows about the library in an agent's process: what wrapping a tool costs, and how fast and how surely the recorder sends.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ArtifactKit, Plimsoll, Recorder } from "#lib/client/index.ts";
import { startServer, type Server } from "./bench-server.ts";
import { median, ms, times, verdict, type Row } from "./table.ts";

const KB = "0123456789 abcdef, a line of a log that somebody asked for\n".repeat(18).slice(0, 1000);
const SIZES = [
  { name: "1 kB", bytes: 1000, calls: 5000, targetMs: 0.05 },
  { name: "1 MB", bytes: 1_000_000, calls: 60, targetMs: 15 },
] as const;
const EVENTS = 100_000;
/** Events of the run in which the server is killed. */
const KILLED_EVENTS = 60_000;

export const libraryRows = async (work: string): Promise<Row[]> => [
  ...(await wrapRows()),
  ...(await recorderRows(work)),
];

async function wrapRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, bytes, calls, targetMs } of SIZES) {
    // Other bytes each time, made before: the store knows what it has.
    const outputs = Array.from({ length: calls }, (_, i) => `${i}\n${KB.repeat(bytes / 1000)}`.slice(0, bytes));
    const bare = (i: number): Promise<string> => Promise.resolve(outputs[i]!);
    const wrapped = new ArtifactKit().wrap("bench", bare);
    const plain = await timed(bare, calls);
    const ours = await timed(wrapped, calls);
    const overhead = ours - plain;
    rows.push({
      what: `wrapping a tool: overhead of a call with ${name} of text, in process`,
      measured: overhead < 1 ? `${Math.round(overhead * 1000)} µs` : ms(overhead),
      against: `${(plain * 1000).toFixed(1)} µs for the bare call`,
      ratio: "",
      target: targetMs < 1 ? `≤ ${targetMs * 1000} µs` : `≤ ${targetMs} ms`,
      verdict: verdict(overhead <= targetMs),
    });
  }
  return rows;
}

/** Milliseconds of one call: the median of ten groups, the first of which only warms up. */
async function timed(run: (i: number) => Promise<unknown>, calls: number): Promise<number> {
  const group = Math.max(1, Math.floor(calls / 10));
  const took: number[] = [];
  for (let at = 0; at + group <= calls; at += group) {
    const from = performance.now();
    for (let i = at; i < at + group; i++) await run(i);
    took.push((performance.now() - from) / group);
  }
  return median(took.slice(1));
}

async function recorderRows(work: string): Promise<Row[]> {
  const archive = join(work, "archive");
  mkdirSync(work, { recursive: true });
  const first = await startServer(work, archive);
  const bare = await sendBare(first);
  // It counts the tokens of what came.
  await first.rests();
  const sustained = await sendEvents(first, work, "sustained", EVENTS);
  const lost = await killAndRestart(first, work, archive);
  return [
    {
      what: `recorder: ${EVENTS.toLocaleString("en")} events to a running Plimsoll, until it has them all`,
      measured: `${Math.round(sustained.perSecond).toLocaleString("en")}/s; ${sustained.recordUs.toFixed(1)} µs of the agent's time each`,
      against: `${Math.round(bare).toLocaleString("en")}/s for requests of 1,000 made before`,
      ratio: times(sustained.perSecond / bare),
      target: "≥ 10,000/s",
      verdict: verdict(sustained.perSecond >= 10_000),
    },
    {
      what: `recorder: server killed and started again amid ${KILLED_EVENTS.toLocaleString("en")} events`,
      measured: `${lost.lost} lost, ${lost.twice} twice`,
      against: "",
      ratio: "",
      target: "0, 0",
      verdict: verdict(lost.lost === 0, lost.twice === 0),
    },
  ];
}

/** Events a second without a recorder: what the server takes. */
async function sendBare({ url, token }: Server): Promise<number> {
  const session = await new Plimsoll({ url, token }).createSession({ id: "bare" });
  const records: object[] = [];
  for (let i = 0; i < EVENTS; i++) recordOne({ record: (one) => void records.push({ ...one, uuid: `bare:${i}` }) }, i);
  const from = performance.now();
  for (let at = 0; at < records.length; at += 1000) await session.addEvents(records.slice(at, at + 1000));
  return EVENTS / ((performance.now() - from) / 1000);
}

/** A turn of an agent: a message, a call, its result, an answer. */
function recordOne(recorder: Pick<Recorder, "record">, i: number): void {
  const toolCallId = `c${i - (i % 4)}`;
  if (i % 4 === 0) recorder.record({ record: "event", startsTurn: true, body: { type: "user", text: `event ${i}` } });
  else if (i % 4 === 1)
    recorder.record({
      record: "event",
      body: { type: "tool_call", toolCallId, toolName: "read_file", input: { path: `src/${i}.ts` } },
    });
  else if (i % 4 === 2)
    recorder.record({ record: "event", body: { type: "tool_result", toolCallId, text: `${KB.slice(0, 300)}${i}` } });
  else recorder.record({ record: "event", body: { type: "assistant", text: `event ${i} is answered` } });
}

async function sendEvents({ url, token }: Server, work: string, id: string, count: number) {
  const recorder = new Recorder({ url, token, spool: join(work, "spool"), session: { id } });
  const from = performance.now();
  let recording = 0;
  for (let i = 0; i < count;) {
    const at = performance.now();
    for (const end = Math.min(i + 500, count); i < end; i++) recordOne(recorder, i);
    recording += performance.now() - at;
    // An agent does other things too: without this nothing is sent while it records.
    await wait(0);
  }
  await recorder.close(120_000);
  const seconds = (performance.now() - from) / 1000;
  return { perSecond: count / seconds, recordUs: (recording * 1000) / count };
}

async function killAndRestart(first: Server, work: string, archive: string): Promise<{ lost: number; twice: number }> {
  let current: Server | null = first;
  // The second server has another port: what is sent goes to the one that runs.
  const send: typeof fetch = (url, init) =>
    current === null
      ? Promise.reject(new TypeError("nobody answers"))
      : fetch(current.url + new URL(String(url)).pathname, {
          ...init,
          headers: { ...(init!.headers as Record<string, string>), authorization: `Bearer ${current.token}` },
        });
  const recorder = new Recorder({
    url: first.url,
    token: first.token,
    spool: join(work, "spool"),
    session: { id: "killed" },
    fetch: send,
  });
  for (let i = 0; i < KILLED_EVENTS; i++) {
    recordOne(recorder, i);
    if (i % 200 === 0) await wait(1);
    if (i === KILLED_EVENTS / 3) {
      current = null;
      await first.kill();
    }
    if (i === (2 * KILLED_EVENTS) / 3) current = await startServer(work, archive);
  }
  await recorder.close(120_000);
  const { url, token } = current!;
  const session = new Plimsoll({ url, token }).session("plimsoll:killed");
  const stored: string[] = [];
  for await (const line of linesOf(await session.export())) if (line.includes('"record":"event"')) stored.push(line);
  await current!.stop();
  const known = new Set(stored.map((line) => (JSON.parse(line) as { uuid: string }).uuid));
  return { lost: KILLED_EVENTS - known.size, twice: stored.length - known.size };
}

async function* linesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of bytes.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
