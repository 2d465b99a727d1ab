// Rows about the memory kernel: the context at any event of a long log, and what an agent pays for telling what happened.
import { mkdirSync, openSync, writeSync, fsyncSync, closeSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { AutobyteusStore } from "#lib/agent-dirs/autobyteus/store.ts";
import { contextAt } from "#lib/kernel/context/context-at.ts";
import { InMemoryMemoryStore } from "#lib/kernel/memory/in-memory-store.ts";
import { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
import type { MemoryStore, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { median, ms, times, verdict, type Row } from "./table.ts";

const host = { now: () => Date.now(), newId: () => randomUUID() };
const TURNS = 5000;
const DURABLE = 400;

export async function memoryRows(work: string, runs: number): Promise<Row[]> {
  mkdirSync(work, { recursive: true });
  return [contextRow(), batchedRow(runs), durableRow(work, runs)];
}

/** 100,000 events, a compaction every 2,000 that leaves the last hundred. */
function contextRow(): Row {
  const log = Array.from({ length: 100_000 }, (_, i) => {
    const seq = i + 1;
    return seq % 2000 === 0
      ? { seq, body: { type: "compaction", kind: "full" }, covers: seq - 100 }
      : { seq, body: { type: "user" }, covers: null };
  });
  const took = Array.from({ length: 200 }, (_, i) => {
    const startedAt = performance.now();
    contextAt(log, 500 * (i + 1));
    return performance.now() - startedAt;
  });
  const p95 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.95)]!;
  return {
    what: "the context anywhere in 100,000 events with 50 compactions",
    measured: `median ${ms(median(took))}, p95 ${ms(p95)}, at most ${ms(Math.max(...took))}`,
    against: "",
    ratio: "",
    target: "≤ 20 ms",
    verdict: verdict(p95 <= 20),
  };
}

/** Turns of four events, as an agent tells them. */
function tell(store: MemoryStore, turns: number): number {
  const memory = MemoryManager.open({ store, host, keepSnapshots: "epoch" });
  for (let i = 0; i < turns; i++) {
    const turn = memory.startTurn();
    void memory.ingestUserMessage(`Look at berth ${i}.`, turn);
    void memory.ingestToolIntent({ id: `call_${i}`, name: "read_file", arguments: { path: `berth-${i}.csv` } }, turn);
    void memory.ingestToolResult({ toolName: "read_file", toolInvocationId: `call_${i}`, result: "free" }, turn);
    void memory.ingestAssistantResponse({ content: `Berth ${i} is free.` }, turn);
  }
  return turns * 4;
}

function batchedRow(runs: number): Row {
  const speeds = Array.from({ length: Math.max(3, runs) }, () => {
    const startedAt = performance.now();
    const events = tell(new InMemoryMemoryStore(), TURNS);
    return events / ((performance.now() - startedAt) / 1000);
  });
  const speed = median(speeds);
  return {
    what: `${(TURNS * 4).toLocaleString("en")} events told to the kernel, kept at the end of an epoch`,
    measured: `${Math.round(speed).toLocaleString("en")} events/s`,
    against: "",
    ratio: "",
    target: "≥ 20,000 events/s",
    verdict: verdict(speed >= 20_000),
  };
}

/** Each trace durable in its agent's folder before the next, against appending and syncing the same lines. */
function durableRow(work: string, runs: number): Row {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < Math.max(3, runs); run++) {
    const traces = Array.from({ length: DURABLE }, (_, i): RawTrace => ({
      id: `rt_${run}_${i}`,
      ts: 1_770_000_000 + i,
      turnId: `turn_${String(1 + (i >> 2)).padStart(4, "0")}`,
      seq: 1 + (i & 3),
      traceType: "user",
      content: `Look at berth ${i}, and say what is free there and until when.`,
      sourceEvent: "LLMUserMessageReadyEvent",
    }));
    const path = join(work, `memory-${run}`, "agents", "harbour");
    mkdirSync(path, { recursive: true });
    const store = new AutobyteusStore(path, { host, state: join(work, `state-${run}`), generation: 1 });
    ours.push(timeOf(() => traces.forEach((trace) => store.add([trace]))));
    store.close();
    const lines = traces.map((trace) => `${JSON.stringify(trace)}\n`);
    const file = openSync(join(work, `plain-${run}.jsonl`), "a");
    plain.push(
      timeOf(() => {
        for (const line of lines) {
          writeSync(file, line);
          fsyncSync(file);
        }
      }),
    );
    closeSync(file);
  }
  const [a, b] = [median(ours), median(plain)];
  return {
    what: `${DURABLE} events, each durable in an agent's folder before the next`,
    measured: `${ms(a / DURABLE)} each`,
    against: `${ms(b / DURABLE)} to append and fsync the same lines`,
    ratio: `${times(b / a)} as fast`,
    target: "≥ 0.5 ×",
    verdict: verdict(b / a >= 0.5),
  };
}

function timeOf(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}
