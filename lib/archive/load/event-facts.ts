// What detectors need to know of a session's events beside their weight: files, commands, repeated bytes, failures, and when
// an output was last used. Read from the rows, once for a version of the session.
import { columns, query, type Columns } from "#db/statement.ts";
import { commandIn, isFields, pathIn } from "#lib/kernel/load/call-input.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { NO_FACTS, type EventFacts } from "#lib/kernel/load/culprits/culprit-types.ts";
import type { Ledger } from "#lib/kernel/load/ledger-types.ts";
import { lastUses, type Said } from "#lib/kernel/load/references.ts";
import { fileReadBy, readingOf } from "#lib/kernel/load/reading-calls.ts";
import { seenLines } from "#lib/kernel/load/seen-lines.ts";
import { shellRead } from "#lib/kernel/load/shell-reads.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { wholeText } from "../artifacts/whole-text.ts";

const ROW_COLUMNS = {
  ...columns("events", "id", "type", "call", "artifact", "digest", "bytes", "body"),
  toolCallId: "events.tool_call_id",
  toolName: "events.tool_name",
} as const satisfies Columns;

/** Outputs under this size are never looked for in later words: a reference to them saves nothing (bytes). */
const USED_BYTES = 1500;
/** Readings under this size are not compared: reading them again costs nothing (bytes). */
const READ_BYTES = 200;
/** What is written, by the names that agents give the tools for it. */
const WRITES = /^(edit|multi_?edit|write(_file)?|notebook_?edit|apply_patch|str_replace\w*|create_file|replace)$/i;

const PATCHED = /^\*\*\* (?:Update|Add|Delete) File: ([^\n]{1,400})/gm;
const PATCH_CHARS = 256 * 1024;
const SEARCHES = /^(grep|glob|search_file_content)$/i;

type MutableFacts = { -readonly [K in keyof EventFacts]: EventFacts[K] };

/** Facts of calls and results, by seq. */
export async function eventFacts(
  archive: Archive,
  pk: number,
  { calls, items }: Ledger,
): Promise<ReadonlyMap<number, EventFacts>> {
  const rows = query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT e.id, e.type, e.call, e.tool_call_id AS toolCallId, e.tool_name AS toolName, e.artifact, e.digest, e.bytes, e.body
     FROM events e WHERE e.id BETWEEN ? AND ? AND e.synthetic = 0
       AND e.type IN ('tool_call', 'tool_result', 'assistant', 'reasoning') ORDER BY e.id`,
  ).all(...rowRange(pk));
  const indexOfCall = new Map(calls.map(({ call }, k) => [call, k]));
  const left = new Map(items.flatMap(({ seq, to }) => (seq === null ? [] : [[seq, to] as const])));
  const facts = new Map<number, MutableFacts>();
  const request = new Map<string, number>();
  const said: Said[] = [];
  for (const row of rows) {
    const seq = seqOfRow(row.id);
    const body = JSON.parse(row.body) as EventBody;
    if (body.type === "tool_call") {
      if (row.toolCallId !== null) request.set(row.toolCallId, seq);
      facts.set(seq, factsOfCall(seq, body));
    }
    if (body.type === "tool_result") {
      const callSeq = row.toolCallId === null ? undefined : request.get(row.toolCallId);
      const call = callSeq === undefined ? undefined : facts.get(callSeq);
      if (call !== undefined) call.pairSeq = seq;
      const code = body.detail?.exitCode ?? 0;
      facts.set(seq, {
        ...(call ?? NO_FACTS),
        seq,
        pairSeq: callSeq ?? null,
        outputKey: row.digest === null ? null : row.digest.toString("latin1"),
        isError: body.isError || code !== 0,
      });
      const isCompared = call?.reading === "lines" && row.bytes >= READ_BYTES;
      if (row.bytes < USED_BYTES && !isCompared) continue;
      const text = row.artifact === null || body.saw === "preview" ? body.text : await wholeText(archive, row.artifact);
      if (isCompared) facts.get(seq)!.lines = seenLines(text ?? body.text);
      if (row.bytes >= USED_BYTES) said.push({ seq, does: "come", text: text ?? body.text, path: call?.path ?? null });
      continue;
    }
    const call = row.call === null ? undefined : indexOfCall.get(row.call);
    if (call !== undefined) said.push({ seq, does: "say", text: eventText(body), call });
  }
  for (const [seq, call] of lastUses(said, (seq) => left.get(seq) ?? 0)) {
    const fact = facts.get(seq);
    if (fact !== undefined) fact.lastUsed = call;
  }
  return facts;
}

function factsOfCall(seq: number, body: Extract<EventBody, { type: "tool_call" }>): MutableFacts {
  const input = isFields(body.input) ? body.input : {};
  const command = commandIn(input);
  const shell = command === null ? null : shellRead(command);
  const patches = [
    ...(typeof body.input === "string" ? body.input : (command ?? "")).slice(0, PATCH_CHARS).matchAll(PATCHED),
  ].map(([, file]) => file!);
  const reading = readingOf(body.toolName, input, command);
  const start = numberOf(input["offset"]) ?? numberOf(input["start_line"]);
  const lines = numberOf(input["limit"]);
  const named = pathIn(input);
  return {
    ...NO_FACTS,
    seq,
    // A search names the folder that it looks in: what it finds is of many files.
    path:
      (SEARCHES.test(body.toolName) && !/\.\w{1,8}$/.test(named ?? "") ? null : named) ??
      patches[0] ??
      (reading !== null && command !== null ? fileReadBy(command) : (shell?.path ?? null)),
    range:
      shell !== null
        ? { start: shell.start, lines: shell.lines }
        : start !== null || lines !== null
          ? { start: start ?? 1, lines }
          : null,
    command,
    inputKey: `${body.toolName}\n${eventText(body)}`,
    writes: WRITES.test(body.toolName) || patches.length > 0,
    patches,
    reading,
  };
}

const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
