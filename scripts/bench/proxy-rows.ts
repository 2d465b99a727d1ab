// Rows about the capture proxy: the first byte of an answer through it and past it, in turns, from a stub in a process of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { entryOf } from "../bundle.mjs";
import { ms, verdict, type Row } from "./table.ts";

const ROUNDS = 1000;
const WARM_UP = 100;
/** A conversation of some 30,000 tokens. */
const BODY_BYTES = 120_000;

/** Answers with a short stream of events when it has the whole request. */
const STUB = `require("node:http").createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('data: {"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":1}}}\\n\\n');
  });
}).listen(0, "127.0.0.1", function () { console.log(JSON.stringify({ address: "http://127.0.0.1:" + this.address().port })); });`;

export async function proxyRows(work: string): Promise<Row[]> {
  const children: ChildProcess[] = [];
  const start = (...args: string[]): Promise<string> => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return new Promise((resolve) =>
      child.stdout.once("data", (line) => resolve((JSON.parse(String(line)) as { address: string }).address)),
    );
  };
  try {
    const stub = await start("-e", STUB);
    const words = ["proxy", "--json", "--port", "0", "--anthropic", stub, "--archive", join(work, "archive")];
    const proxy = await start(entryOf("bin/plimsoll.ts"), ...words);
    const took = { direct: [] as number[], proxied: [] as number[] };
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const direct = await firstByteMs(`${stub}/v1/messages`, round);
      const proxied = await firstByteMs(`${proxy}/anthropic/v1/messages`, round);
      if (round < WARM_UP) continue;
      took.direct.push(direct);
      took.proxied.push(proxied);
    }
    const [direct, proxied] = [p95(took.direct), p95(took.proxied)];
    return [
      {
        what: `Proxy: first byte of ${ROUNDS.toLocaleString("en")} answers to requests of ${BODY_BYTES / 1000} kB, p95, recorded`,
        measured: ms(proxied),
        against: `${ms(direct)} without it`,
        ratio: `+${ms(proxied - direct)}`,
        target: "≤ 5 ms more",
        verdict: verdict(proxied - direct <= 5),
      },
    ];
  } finally {
    for (const child of children) child.kill();
  }
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
}

const TEXT = "x".repeat(BODY_BYTES);

function firstByteMs(url: string, round: number): Promise<number> {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: `${round} ${TEXT}` }] });
  const headers = {
    "content-type": "application/json",
    "x-claude-code-session-id": "00000000-be9c-4000-8000-000000000000",
  };
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const sent = request(url, { method: "POST", headers }, (answer) => {
      answer.once("data", () => resolve(performance.now() - from)).on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
