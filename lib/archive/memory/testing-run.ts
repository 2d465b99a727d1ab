// What the tests of memory share: a session of ours with as many turns as are asked for, told record by record.
import type { CompactRequest } from "#lib/wire/memory-schema.ts";
import { compactRequest, contextQuery } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { contextOf } from "./context.ts";
import { ingest } from "./ingest-records.ts";

type Rec = Record<string, unknown>;

export const eventRecord = (uuid: string, body: Rec, more: Rec = {}): Rec => ({ record: "event", uuid, body, ...more });
export const userRecord = (uuid: string, text: string): Rec =>
  eventRecord(uuid, { type: "user", text }, { startsTurn: true });
export const said = (uuid: string, text: string, more: Rec = {}): Rec =>
  eventRecord(uuid, { type: "assistant", text }, more);
export const calls = (uuid: string, toolCallId: string, command: string, more: Rec = {}): Rec =>
  eventRecord(uuid, { type: "tool_call", toolCallId, toolName: "bash", input: { command } }, more);
export const gives = (uuid: string, toolCallId: string, text: string, more: Rec = {}): Rec =>
  eventRecord(uuid, { type: "tool_result", toolCallId, text, ...more });
export const modelCall = (key: string, prompt: number): Rec => ({
  record: "call",
  key,
  model: "claude-synthetic",
  usage: { inputUncached: prompt, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0, origin: "reported" },
});

/** One turn: a prompt, a command with its output, an answer. Five records. */
export function turnOf(n: number, words = 120): Rec[] {
  const output = Array.from({ length: words }, (_, i) => `harbour${n}Log${i} tide ${i}`).join("\n");
  return [
    userRecord(`u${n}`, `Please look at pier ${n}; never close gate_${n}.`),
    modelCall(`c${n}`, 1000 * n),
    calls(`a${n}`, `t${n}`, `cat pier_${n}.log`, { call: `c${n}` }),
    gives(`r${n}`, `t${n}`, output),
    said(`s${n}`, `I decided to keep pier_${n}.log because gate_${n} must stay open.`),
  ];
}

/** Events of turn n of such a session: four, after one of the system. */
export const firstSeqOf = (n: number): number => 2 + (n - 1) * 4;

/** Tells a session its instructions and so many turns. */
export async function tellTurns(archive: Archive, id: string, turns: number, words?: number): Promise<void> {
  const system = eventRecord("sys", { type: "system", subtype: "prompt", text: "You keep the harbour." });
  const records = [system, ...Array.from({ length: turns }, (_, i) => turnOf(i + 1, words)).flat()];
  for (let at = 0; at < records.length; at += 1000) await ingest(archive, id, records.slice(at, at + 1000));
}

export const request = (more: Partial<CompactRequest> = {}): CompactRequest =>
  compactRequest.parse({ dryRun: false, tail: 2, budgetChars: 1500, ...more });

/** Seqs of the messages of a context, one list a message; a summary's text is marked. */
export async function seqsIn(archive: Archive, id: string, at?: number): Promise<number[][]> {
  const { messages } = await contextOf(archive, id, contextQuery.parse(at === undefined ? {} : { at }));
  return messages.map(({ seqs }) => seqs);
}
