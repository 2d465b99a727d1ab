// Memory folders as both generations leave them, made up: written as Python writes JSON or as JavaScript does, with
// compactions behind them, and with the damage that is met.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryHost } from "#lib/kernel/memory/memory-types.ts";
import { sha256 } from "./files.ts";
import { FILES } from "./directory-paths.ts";
import type { Generation } from "./raw-trace.ts";

export type Style = "python" | "javascript";
type Damage = "truncated" | "glued" | "foreign" | "blank" | "no_newline";

export type Made = {
  readonly generation: Generation;
  readonly style: Style;
  /** 50 when nothing is said. */
  readonly turns?: number;
  /** Turns that were archived before, in two goes. */
  readonly archivedTurns?: number;
  readonly damage?: readonly Damage[];
};

const START = 1_770_923_021;

/** Writes a folder with everything that its generation has. */
export function makeDirectory(path: string, made: Made): void {
  const { generation, style, turns = 50, archivedTurns = 4, damage = [] } = made;
  const print = style === "python" ? pythonText : (value: unknown): string => JSON.stringify(value);
  const lines = (values: readonly unknown[]): string => values.map((value) => `${print(value)}\n`).join("");
  const put = (name: string, text: string): void => writeFileSync(join(path, name), text);
  mkdirSync(path, { recursive: true });
  const all = Array.from({ length: turns + archivedTurns }, (_, at) => turnRecords(at + 1, generation));
  const old = all.slice(0, archivedTurns);
  put(FILES.rawTraces, damaged(all.slice(archivedTurns).map(lines), damage, print));
  const items = [1, 2, 3].map((n) => ({
    id: `ep_${(START + n) * 1000}`,
    ts: float(START + n),
    turn_ids: [`turn_000${n}`],
    summary: `Étape ${n}: the parser was split, and its tests pass.`,
    salience: float(0),
    ...(generation === 1 && { tags: ["decision"] }),
  }));
  put(FILES.episodic, lines(items));
  put(
    FILES.semantic,
    lines(
      ["unresolved_work", "user_preference", "durable_fact"].map((category, n) => ({
        id: `sem_${START * 1000}_${n}`,
        ts: float(START + n),
        ...(generation === 2 ? { category } : {}),
        fact: `Fact ${n}: naïve “quotes” stay, \u2028 too.`,
        ...(generation === 1 ? { confidence: 0.5, salience: float(0), tags: ["fact"] } : { salience: 300 - n }),
      })),
    ),
  );
  put(FILES.snapshot, print(snapshot(generation)));
  if (generation === 1) {
    if (archivedTurns > 0) put(FILES.rawTracesArchive, old.map(lines).join(""));
    return;
  }
  put(FILES.compactedManifest, print({ schema_version: 3, last_reset_ts: START * 1000 }));
  if (archivedTurns === 0) return;
  mkdirSync(join(path, FILES.archiveFolder), { recursive: true });
  const half = Math.ceil(archivedTurns / 2);
  const segments = [old.slice(0, half), old.slice(half)].map((part, at) => {
    const records = part.flat();
    const key = `native_compaction:${sha256(records.map(({ id }) => id).join(",")).slice(0, 8)}`;
    const fileName = `00000${at + 1}_20260430T10301512${at}Z_${sha256(key).slice(0, 8)}.jsonl`;
    put(`${FILES.archiveFolder}/${fileName}`, lines(records));
    return segment(at + 1, fileName, key, records);
  });
  // Begun, and never finished: nobody reads its file.
  const stale = {
    ...segment(3, "000003_20260430T103015999Z_00000000.jsonl", "native_compaction:stale", []),
    status: "pending",
  };
  put(`${FILES.archiveFolder}/${stale.file_name}`, '{"id":"rt_never","trace_type":"user"}\n');
  put(FILES.archiveManifest, print({ schema_version: 1, next_segment_index: 4, segments: [...segments, stale] }));
}

type TraceRecord = { readonly id: string; readonly [key: string]: unknown };

const segment = (index: number, fileName: string, key: string, records: readonly TraceRecord[]) => ({
  index,
  file_name: fileName,
  boundary_type: "native_compaction",
  boundary_key: key,
  boundary_trace_id: null,
  runtime_kind: "AUTOBYTEUS",
  source_event: "native_compaction",
  archived_at: START + 0.5,
  first_trace_id: records[0]?.id ?? null,
  last_trace_id: records.at(-1)?.id ?? null,
  first_ts: records[0]?.["ts"] ?? null,
  last_ts: records.at(-1)?.["ts"] ?? null,
  record_count: records.length,
  status: "complete",
});

/** User, call, assistant of the same millisecond and thus the same id, result, assistant; and keys of somebody else. */
function turnRecords(turn: number, generation: Generation): TraceRecord[] {
  const at = START + turn * 60;
  const turnId =
    generation === 2 && turn % 7 === 0 ? `019de749-3099-74b0-b318-${String(turn).padStart(12, "0")}` : named(turn);
  const tags = (tag: string) => (generation === 1 ? { tags: [tag] } : {});
  const callId = `call_${turn}`;
  const base = (seq: number, trace_type: string, seconds: number, source_event: string, content = "") => ({
    id: `rt_${Math.round((at + seconds) * 1000)}`,
    ts: float(at + seconds),
    turn_id: turnId,
    seq,
    trace_type,
    content,
    source_event,
  });
  const call = { tool_name: "run_bash", tool_call_id: callId, tool_args: { command: `ls "${turn}"`, depth: turn } };
  const suffix = generation === 2 ? `_${callId}` : "";
  const records: TraceRecord[] = [
    {
      ...base(1, "user", 0, "LLMUserMessageReadyEvent", `Tâche ${turn} 🚢`),
      media: { images: [], audio: [], video: [] },
      ...tags("processed"),
    },
    withId({ ...base(2, "tool_call", 1, "PendingToolInvocationEvent"), ...call }, suffix),
    { ...base(3, "assistant", 1, "LLMCompleteResponseReceivedEvent"), ...tags("final"), vendor_note: `n${turn}` },
    withId(
      {
        ...base(4, "tool_result", 1.25, generation === 2 ? "native_api_ordered_batch" : "ToolResultEvent"),
        ...call,
        ...(turn % 5 === 0 ? { tool_error: "exit 1" } : { tool_result: { stdout: `src/f${turn}.ts\n`, n: 1e21 } }),
        ...(generation === 1 && turn % 9 === 0 ? { tool_result_ref: `art_${sha256(callId).slice(0, 16)}` } : {}),
      },
      suffix,
    ),
    { ...base(5, "assistant", 2, "LLMCompleteResponseReceivedEvent", `Fait, “${turn}”.`), ...tags("final") },
  ];
  if (generation === 2 && turn % 3 === 0)
    records.push(
      withId(
        base(6, "reasoning", 2.5, "TURN_COMPLETED", "Thought."),
        `_8f7de260-03b1-4b28-a03d-196e15bb${1000 + turn}`,
      ),
    );
  return records;
}

const named = (turn: number): string => `turn_${String(turn).padStart(4, "0")}`;
const withId = <T extends { readonly id: string }>(record: T, suffix: string): T => ({
  ...record,
  id: record.id + suffix,
});

const snapshot = (generation: Generation) => ({
  schema_version: generation === 1 ? 1 : 3,
  agent_id: "agent-made-up",
  epoch_id: 3,
  last_compaction_ts: float(START),
  messages: [
    message("system", "You are careful."),
    {
      ...message("assistant", null),
      tool_payload: {
        tool_calls: [
          {
            id: "call_1",
            name: "run_bash",
            arguments: { command: "ls" },
            ...(generation === 2 && { nativeToolCallContext: { provider: "made-up", opaque: [1, null, { é: "x" }] } }),
          },
        ],
      },
    },
    {
      ...message("tool", null),
      tool_payload: { tool_call_id: "call_1", tool_name: "run_bash", tool_result: 0, tool_error: null },
    },
  ],
});

const message = (role: string, content: string | null) => ({
  role,
  content,
  reasoning_content: null,
  image_urls: [],
  audio_urls: [],
  video_urls: [],
  tool_payload: null,
});

function damaged(turns: readonly string[], damage: readonly Damage[], print: (value: unknown) => string): string {
  const parts = [...turns];
  const has = (one: Damage): boolean => damage.includes(one);
  if (has("glued")) parts[1] = parts[1]!.replace("\n", "");
  if (has("foreign")) parts[2] = `a log line of somebody else\n[1, 2]\n${print({ kind: "not a trace" })}\n${parts[2]}`;
  if (has("blank")) parts[3] = `\n  \r\n${parts[3]}`;
  const text = parts.join("");
  if (has("truncated")) return text.slice(0, -25);
  return has("no_newline") ? text.slice(0, -1) : text;
}

class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  toJSON(): number {
    return this.value;
  }
}
const float = (value: number): Float => new Float(value);

/** As json.dumps of Python writes: spaces behind commas and colons, ASCII alone, floats with their point. */
export function pythonText(value: unknown): string {
  if (value instanceof Float) return Number.isInteger(value.value) ? `${value.value}.0` : String(value.value);
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => `${pythonText(key)}: ${pythonText(one)}`)
      .join(", ")}}`;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Time goes on by a second with each look; ids count up. */
export function testHost(start = 1_780_000_000_000): MemoryHost {
  let at = start;
  let id = 0;
  return {
    now: () => (at += 1000),
    newId: () => `${String(++id).padStart(8, "0")}-0000-4000-8000-000000000000`,
  };
}

/** No test cuts the power: in memory a synced write takes a hundredth of the time. */
const BASE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(BASE, "plimsoll-autobyteus-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function inFolderFor(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(BASE, "plimsoll-autobyteus-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes of every file by name. */
export const bytesIn = (path: string): Map<string, string> =>
  new Map(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file.slice(path.length + 1), readFileSync(file, "latin1")]),
  );

/** Times of every file and folder by name. */
export const timesIn = (path: string): Map<string, bigint> =>
  new Map(
    ["", ...(readdirSync(path, { recursive: true }) as string[])]
      .toSorted()
      .map((name) => [name, statSync(join(path, name), { bigint: true }).mtimeNs]),
  );

/** How often each line of raw traces stands in the active file or in the archive: the larger of the two. */
export function linesIn(path: string): Map<string, number> {
  const files = [...bytesIn(path)].filter(([name]) => name.startsWith("raw_traces") && name.endsWith(".jsonl"));
  const active = countOf(files.filter(([name]) => name === FILES.rawTraces).map(([, text]) => text));
  const archived = countOf(files.filter(([name]) => name !== FILES.rawTraces).map(([, text]) => text));
  const lines = [...new Set([...active.keys(), ...archived.keys()])].toSorted();
  return new Map(lines.map((line) => [line, Math.max(active.get(line) ?? 0, archived.get(line) ?? 0)]));
}

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of texts.flatMap((text) => text.split("\n")))
    if (line.trim() !== "") counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
