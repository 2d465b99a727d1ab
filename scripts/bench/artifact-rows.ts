// Rows about the artifact store: outputs in, envelopes out, and bytes back.
import { createHash } from "node:crypto";
import {
  createReadStream,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { random } from "./generate-sessions.ts";
import { runTask, timeProgram } from "./measure-run.ts";
import { startServer, type Server } from "./bench-server.ts";
import { mb, median, ms, skipped, times, verdict, type Row } from "./table.ts";
import type { PutsResult } from "./put-tasks.ts";

const MB = 1e6;
/** The published workload: one tool output of 20.8 million tokens, 4 characters each. */
const OUTPUT_BYTES = 83_200_000;
const GB = 1024 * 1024 * 1024;
const PUTS = { count: 10_000, writers: 8, bytes: 8192 } as const;

/** A JSON document of about so many bytes: rows of a grid with numbers and words. */
export function writeGrid(path: string, bytes: number): void {
  const next = random(83);
  const fd = openSync(path, "w");
  let done = writeSync(fd, '{"dataset":"grid","unit":"mg","rows":[');
  for (let i = 0; done < bytes - 2;) {
    let text = "";
    for (; text.length < MB && done + text.length < bytes - 200; i++)
      text += `${i === 0 ? "" : ","}{"id":${i},"x":${next().toFixed(6)},"y":${next().toFixed(6)},"label":"cell ${Math.floor(next() * 1e6)}","mass":${(next() * 100).toFixed(3)},"ok":${next() > 0.5}}`;
    if (text === "") break;
    done += writeSync(fd, text);
  }
  writeSync(fd, "]}");
  closeSync(fd);
}

/** A log of exactly so many bytes. */
export function writeLog(path: string, bytes: number): void {
  const next = random(7);
  const fd = openSync(path, "w");
  for (let done = 0, i = 0; done < bytes;) {
    let text = "";
    while (text.length < 4 * MB && done + text.length < bytes) {
      const level = next() < 0.01 ? "ERROR" : next() < 0.1 ? "WARN" : "INFO";
      text += `2026-06-01T12:00:00.${String(i % 1000).padStart(3, "0")}Z ${level} worker-${Math.floor(next() * 64)} request ${i++} took ${Math.floor(next() * 900)} ms path=/v1/items/${Math.floor(next() * 1e6)}\n`;
    }
    done += writeSync(fd, text.slice(0, bytes - done));
  }
  closeSync(fd);
}

export async function artifactRows(work: string, runs: number, isFull: boolean): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  const server = await startServer(work, join(work, "archive"));
  try {
    return [
      ...(await outputRows(server, work, runs)),
      ...(await largeRows(server, work, isFull)),
      ...(await putRows(server, work)),
    ];
  } finally {
    await server.stop();
  }
}

/** An output of 83 MB through HTTP: the envelope's tokens, the speed, and the bytes back. */
async function outputRows(server: Server, work: string, runs: number): Promise<Row[]> {
  const file = join(work, "grid.json");
  writeGrid(file, OUTPUT_BYTES);
  const tokens: Record<string, number> = {};
  let pointer = "";
  for (const style of ["lean", "unified"]) {
    const policy = { preset: "plimsoll", envelope_style: style };
    const session = (await askJson(server, "POST", "/api/sessions", { id: `grid-${style}`, policy })) as { id: string };
    const result = (await sendFile(server, outputPath(session.id, `call-${style}`), file)).answer as OutputResult;
    tokens[style] = await countTokens(result.text);
    pointer = result.artifact.pointer;
  }
  const back = await digestOf(server, `/api/artifacts/${pointer}/raw`);
  const isSame = back === (await fileDigest(file));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < runs; run++) {
    // New bytes each time: the store knows what it has.
    const copy = join(work, `grid-${run}.json`);
    writeFileSync(copy, Buffer.concat([readFileSync(file), Buffer.from("\n".repeat(run + 1))]));
    await timeProgram("sync", [copy]);
    const session = (await askJson(server, "POST", "/api/sessions", { id: `grid-run-${run}` })) as { id: string };
    ours.push(await timeSending(server, outputPath(session.id, `call-${run}`), copy));
    const cp = await timeProgram("cp", [copy, `${copy}.copy`]);
    const sum = await timeProgram("sha256sum", [`${copy}.copy`]);
    if (cp === null || sum === null) break;
    theirs.push(cp + sum);
  }
  const mine = median(ours);
  const speed = OUTPUT_BYTES / MB / (mine / 1000);
  const peer = theirs.length === 0 ? null : median(theirs);
  return [
    {
      what: `an output of ${mb(OUTPUT_BYTES)} as an envelope, counted with o200k; its bytes back`,
      measured: `lean ${tokens["lean"]}, unified ${tokens["unified"]} tokens; ${isSame ? "byte for byte" : "DIFFERENT BYTES"}`,
      against: "",
      ratio: `1 : ${Math.round(20_800_000 / tokens["lean"]!).toLocaleString("en")}`,
      target: "≤ 250, ≤ 450, identical",
      verdict: verdict(tokens["lean"]! <= 250, tokens["unified"]! <= 450, isSame),
    },
    {
      what: "the same over HTTP until it is durable and answered",
      measured: `${ms(mine)}, ${Math.round(speed)} MB/s`,
      against: peer === null ? "no cp or sha256sum here" : `${ms(peer)} for cp, sha256sum`,
      ratio: peer === null ? "" : times(peer / mine),
      target: "≥ 150 MB/s or ≥ 0.5×",
      verdict: verdict(speed >= 150 || (peer !== null && peer / mine >= 0.5)),
    },
  ];
}

/** One artifact of 1 GB: memory while it comes in, any lines of it, a part of it. */
async function largeRows(server: Server, work: string, isFull: boolean): Promise<Row[]> {
  const bytes = isFull ? GB : GB / 4;
  const file = join(work, "large.log");
  writeLog(file, bytes);
  const session = (await askJson(server, "POST", "/api/sessions", { id: "large" })) as { id: string };
  const before = server.resetPeak();
  if (before === null) return [skipped("an artifact of 1 GB", "memory ≤ +64 MB", "this system does not tell peaks")];
  const put = await sendFile(server, `/api/sessions/${session.id}/artifacts?name=large.log`, file);
  const { pointer, artifactId, lineCount } = put.answer as { pointer: string; artifactId: string; lineCount: number };
  const reads: number[] = [];
  const next = random(3);
  for (let i = 0; i < 40; i++) {
    const start = 1 + Math.floor(next() * (lineCount - 200));
    const input = { artifact_id: artifactId, start_line: start, end_line: start + 199 };
    const request = await server.ask("POST", `/api/tools/artifact_read?session=${session.id}`, input);
    reads.push(request.ms);
  }
  const from = Math.floor(bytes * 0.7);
  const part = await sendAndRead(server, "GET", `/api/artifacts/${pointer}/raw`, {
    range: `bytes=${from}-${from + 64 * MB - 1}`,
  });
  const grown = server.peakBytes()! - before;
  rmSync(file);
  return [
    {
      what: `an artifact of ${mb(bytes)}: put, 40 readings of 200 lines, a Range of 64 MB: memory of the server`,
      measured: `+${mb(Math.max(0, grown))}; put at ${Math.round(bytes / MB / (put.ms / 1000))} MB/s, range at ${Math.round(64 / (part.ms / 1000))} MB/s`,
      against: `${mb(before)} before`,
      ratio: "",
      target: "≤ +64 MB",
      verdict: verdict(grown <= 64 * 1024 * 1024, part.bytes === 64 * MB),
    },
    {
      what: "any 200 lines of it through artifact_read over HTTP",
      measured: `${ms(median(reads))}, at most ${ms(Math.max(...reads))}`,
      against: "",
      ratio: "",
      target: "≤ 20 ms",
      verdict: verdict(median(reads) <= 20),
    },
  ];
}

/** Small artifacts from eight writers, each answered when it is durable. */
async function putRows(server: Server, work: string): Promise<Row[]> {
  const target = "≥ 0.5×";
  const input = { paths: [], count: PUTS.count, bytes: PUTS.bytes, writers: PUTS.writers } as const;
  const plain = await runTask<PutsResult>("plain-puts", { ...input, dir: join(work, "plain") });
  const library = await runTask<PutsResult>("library-puts", { ...input, dir: join(work, "library") });
  const session = (await askJson(server, "POST", "/api/sessions", { id: "puts" })) as { id: string };
  const http = await runTask<PutsResult>("http-puts", {
    ...input,
    dir: work,
    url: `${server.url}/api/sessions/${session.id}/artifacts`,
    token: server.token,
  });
  const again = await runTask<PutsResult>("plain-puts", { ...input, dir: join(work, "plain-again") });
  const floor = (plain.ms + again.ms) / 2;
  const row = (what: string, result: PutsResult): Row => ({
    what: `${PUTS.count.toLocaleString("en")} artifacts of 8 KB from ${PUTS.writers} writers, each durable: ${what}`,
    measured: `${ms(result.ms)}, ${Math.round(PUTS.count / (result.ms / 1000)).toLocaleString("en")}/s, p99 ${ms(result.p99Ms)}${result.settledMs === undefined ? "" : `; all files synced ${ms(result.settledMs)} later`}`,
    against: `${ms(floor)} for 8 plain writers`,
    ratio: times(floor / result.ms),
    target,
    verdict: verdict(floor / result.ms >= 0.5),
  });
  return [row("library", library), row("HTTP", http)];
}

type OutputResult = { readonly text: string; readonly artifact: { readonly pointer: string } };

const outputPath = (session: string, call: string): string =>
  `/api/sessions/${session}/outputs?tool=fetch_grid&call=${call}`;

async function askJson(server: Server, method: string, path: string, body: unknown): Promise<unknown> {
  return JSON.parse((await server.ask(method, path, body)).text);
}

const agent = new Agent({ keepAlive: true });

async function sendFile(server: Server, path: string, file: string): Promise<{ ms: number; answer: unknown }> {
  const startedAt = performance.now();
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(
      server.url + path,
      {
        method: "POST",
        agent,
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
      },
      (response) => {
        let said = "";
        response.on("data", (piece) => (said += String(piece)));
        response.on("end", () =>
          (response.statusCode ?? 500) < 300
            ? resolve(said)
            : reject(new Error(`${path} was answered with ${response.statusCode}: ${said.slice(0, 300)}`)),
        );
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(sent);
  });
  return { ms: performance.now() - startedAt, answer: JSON.parse(text) };
}

/** Sent by curl where there is one: a client in this process takes a third of the two processors from the server. */
async function timeSending(server: Server, path: string, file: string): Promise<number> {
  const headers = [`authorization: Bearer ${server.token}`, "content-type: application/octet-stream"];
  const words = ["-sf", "-o", "/dev/null", "-X", "POST", ...headers.flatMap((header) => ["-H", header]), "-T", file];
  return (await timeProgram("curl", [...words, server.url + path])) ?? (await sendFile(server, path, file)).ms;
}

async function sendAndRead(
  server: Server,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ ms: number; bytes: number }> {
  const startedAt = performance.now();
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${server.token}`, ...headers },
  });
  let bytes = 0;
  for await (const piece of answer.body!) bytes += piece.length;
  return { ms: performance.now() - startedAt, bytes };
}

async function digestOf(server: Server, path: string): Promise<string> {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` } });
  const digest = createHash("sha256");
  for await (const piece of answer.body!) digest.update(piece);
  return digest.digest("hex");
}

async function fileDigest(file: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const piece of createReadStream(file)) digest.update(piece as Buffer);
  return digest.digest("hex");
}

async function countTokens(text: string): Promise<number> {
  return (await systemHost().tokenizers.load("o200k_base")).count(text);
}
