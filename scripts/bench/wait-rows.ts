// Rows about puts while a file is imported: what somebody waits who stores an artifact meanwhile, on a machine that has
// another thing to do.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createZstdCompress } from "node:zlib";
import { sessionLines, uuidOf, writeSession } from "./generate-sessions.ts";
import { startServer, type Server } from "./bench-server.ts";
import { ms, verdict, type Row } from "./table.ts";

const MB = 1e6;
/** A put begins this often, whether the one before is answered or not (milliseconds). */
const EVERY_MS = 50;
const LIMIT_MS = 200;

type Source = { readonly what: string; write(folder: string, sessionId: string): Promise<string> };

/** What is imported meanwhile. */
const SOURCES: readonly Source[] = [
  { what: "a .zst that holds 880 MB of `{}`", write: bomb("{}\n") },
  { what: "a .zst that holds 880 MB of short records", write: bomb('{"a":1}\n') },
  { what: "a .zst that holds 880 MB of one line", write: bomb("x") },
  { what: "a .zst that holds 880 MB of blank lines", write: bomb("\n") },
  {
    what: "200,000 records `{}`",
    write: async (folder, sessionId) => {
      const path = join(folder, `${sessionId}.jsonl`);
      writeFileSync(path, firstLine(sessionId) + "{}\n".repeat(200_000));
      return path;
    },
  },
  {
    what: "a session of 290 MB",
    write: async (folder, sessionId) => {
      const path = join(folder, `${sessionId}.jsonl`);
      writeSession({ path, sessionId, seed: 290, bytes: 290 * MB });
      return path;
    },
  },
];

export async function waitRows(work: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [i, source] of SOURCES.entries()) {
    const folder = join(work, `wait-${i}`);
    mkdirSync(folder, { recursive: true });
    const path = await source.write(folder, uuidOf(700 + i, 1));
    const { took, importMs } = await putsBeside(folder, path);
    const sorted = took.toSorted((a, b) => a - b);
    const most = sorted.at(-1)!;
    rows.push({
      what: `a put every ${EVERY_MS} ms over HTTP while ${source.what} is imported, beside another busy process`,
      measured: `at most ${ms(most)}, p99 ${ms(sorted[Math.floor(sorted.length * 0.99)]!)}`,
      against: `${sorted.length} puts in ${ms(importMs)}`,
      ratio: "",
      target: `≤ ${LIMIT_MS} ms`,
      verdict: verdict(most <= LIMIT_MS),
    });
  }
  return rows;
}

/** What each put took until it was durable and answered, from the start of the import to its end. */
async function putsBeside(work: string, path: string): Promise<{ took: number[]; importMs: number }> {
  const server = await startServer(work, join(work, "archive"));
  const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  try {
    const { id } = JSON.parse((await server.ask("POST", "/api/sessions", { id: "puts" })).text) as { id: string };
    // The first of a kind compiles what the others use.
    for (let i = 0; i < 50; i++) await put(server, id, i);
    const took: Promise<number>[] = [];
    const done = new AbortController();
    const startedAt = performance.now();
    const imported = server.ask("POST", "/api/commands/import", { paths: [path] }).finally(() => done.abort());
    while (!done.signal.aborted) {
      took.push(put(server, id, 50 + took.length));
      await setTimeout(EVERY_MS);
    }
    await imported;
    return { took: await Promise.all(took), importMs: performance.now() - startedAt };
  } finally {
    busy.kill();
    await server.stop();
  }
}

async function put(server: Server, session: string, i: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${server.url}/api/sessions/${session}/artifacts`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/octet-stream" },
    body: Buffer.alloc(8192, `artifact ${i}, a line of text\n`),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`A put was answered with ${answer.status}: ${text.slice(0, 300)}`);
  return performance.now() - startedAt;
}

const firstLine = (sessionId: string): string => sessionLines({ seed: 700, sessionId }).next().value as string;

/** A compressed session of 880 MB that repeats one text. */
function bomb(text: string): Source["write"] {
  return async (folder, sessionId) => {
    const path = join(folder, `${sessionId}.jsonl.zst`);
    const piece = text.repeat(Math.floor(MB / text.length));
    const pieces = [firstLine(sessionId), ...Array.from({ length: 880 }, () => piece)];
    await pipeline(Readable.from(pieces), createZstdCompress(), createWriteStream(path));
    return path;
  };
}
