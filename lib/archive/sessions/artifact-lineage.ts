// How one artifact came to be stored, and what became of it: the calls that carried it, its names, the decision about it.
import { columns, query, scalar, select } from "#db/statement.ts";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import { PRESETS, PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import { READ_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import type { ArtifactHistory, ArtifactLineage, BoundName, PresetVerdict } from "#lib/wire/artifact-history-schema.ts";
import type { OffloadDecisionRow } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { readsOf } from "./artifact-reads.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { resolveArtifact } from "../artifacts/resolve.ts";
import { weightsOf } from "../load/event-weights.ts";
import { eventRowId } from "../base/row-keys.ts";
import {
  callsOf,
  compactionsOf,
  remembered,
  tokenizerOf,
  compactionSizes,
  type CallRow,
  type CompactionRow,
} from "../base/session-rows.ts";
import { iso } from "../base/iso.ts";
import { LEFT_BY, takesOut, type CompactionPosition } from "#lib/kernel/load/residency.ts";
import { departuresIn } from "../base/rewind-rows.ts";

/** Text of an envelope that travels; the longest envelope of any style is shorter. */
const SEEN_CHARS = 4096;
const NAMES = 100;

/** Everything that is known of an artifact beside its bytes. */
export async function artifactHistory(archive: Archive, ref: string): Promise<ArtifactHistory> {
  const row = resolveArtifact(archive, ref);
  return {
    lineage: lineageOf(archive, row),
    names: namesOf(archive, row),
    decision: decisionOf(archive, row.pointer),
    presets: presetsOf(archive, row),
    reads: readsOf(archive, row),
  };
}

function lineageOf(archive: Archive, row: ArtifactDbRow): ArtifactLineage | null {
  if (row.seq === null) return null;
  const { sqlite } = archive;
  const event = select(sqlite, "events", ["body", "bytes"], "WHERE id = ?").get(eventRowId(row.session_pk, row.seq));
  if (event === undefined) return null;
  const callSeq = scalar(
    sqlite,
    "tool_interactions.call_seq",
    "FROM tool_interactions WHERE session_pk = ? AND result_seq = ?",
  ).get(row.session_pk, row.seq);
  const { calls, cuts } = positionsOf(archive, row.session_pk);
  const { tokens, origin, enteredAt, lastCall, callsResident } = weightsOf(archive, row.session_pk).of(row.seq);
  const endedBy = endAt(cuts, calls, row.seq, lastCall);
  const body = JSON.parse(event.body) as EventBody;
  const text = eventText(body);
  const isWhole = row.saw === "full";
  return {
    callSeq: callSeq ?? null,
    seq: row.seq,
    enteredAt,
    lastCall,
    callsResident,
    calls: calls.length,
    leftSilently: endedBy === null && lastCall !== null && lastCall !== calls.at(-1)?.call,
    endedBy,
    saw: isWhole ? "full" : isEnvelope(text) ? "envelope" : "preview",
    text: isWhole ? null : text.slice(0, SEEN_CHARS).toWellFormed(),
    seen: { bytes: event.bytes, tokens, origin },
    whole: isWhole ? { bytes: row.size, tokens, origin } : wholeWeight(archive, row),
  };
}

type Positions = {
  readonly calls: readonly CallRow[];
  /** Compactions and rewinds, in the order of the log. */
  readonly cuts: readonly (CompactionPosition & Partial<Pick<CompactionRow, "tokensBefore" | "tokensAfter">>)[];
};

/** The calls and compactions of a session; a page of its artifacts asks for them again and again. */
export const positionsOf = (archive: Archive, pk: number): Positions =>
  remembered(archive, "positions", pk, () => {
    const calls = callsOf(archive, pk);
    const compactions = compactionSizes(compactionsOf(archive, pk), calls);
    const rewinds = departuresIn(archive, pk).filter(({ undoneBy }) => undoneBy === undefined);
    return { calls, cuts: [...compactions, ...rewinds].toSorted((a, b) => a.seq - b.seq) };
  });

/**
 * What took an event out of the context: a compaction that did not keep it, one that blanked it, or a rewind; null where it
 * had left before, without a word.
 */
export function endAt(
  cuts: Positions["cuts"],
  calls: readonly CallRow[],
  seq: number,
  lastCall: number | null,
): ArtifactLineage["endedBy"] {
  const end = cuts.find((cut) => cut.seq > seq && takesOut(cut, seq));
  if (end === undefined) return null;
  const before = calls.findLast(({ firstSeq }) => firstSeq < end.seq)?.call ?? null;
  if (lastCall !== null && before !== null && lastCall !== before) return null;
  return {
    seq: end.seq,
    how: LEFT_BY[end.kind],
    tokensBefore: end.tokensBefore ?? null,
    tokensAfter: end.tokensAfter ?? null,
  };
}

function wholeWeight(archive: Archive, row: ArtifactDbRow): ArtifactLineage["whole"] {
  const counted = scalar(
    archive.sqlite,
    "token_counts.tokens",
    "FROM token_counts WHERE digest = ? AND tokenizer = ?",
  ).get(Buffer.from(row.digest, "hex"), tokenizerOf(archive, row.session_pk));
  return {
    bytes: row.size,
    tokens: weightsOf(archive, row.session_pk).ofText("result", counted ?? estimateTokens(row.size)),
    origin: "estimated",
  };
}

/** The names that lead or led here, and what else has had them, newest first. */
function namesOf(archive: Archive, row: ArtifactDbRow): BoundName[] {
  const bound = query(
    archive.sqlite,
    { ...columns("artifact_names", "name", "pointer"), at: "artifact_names.bound_at", current: "integer" },
    `SELECT name, pointer, bound_at AS at, pk = (SELECT max(pk) FROM artifact_names m WHERE m.session_pk = n.session_pk AND m.name = n.name) AS current
     FROM artifact_names n WHERE session_pk = ? AND name IN (SELECT name FROM artifact_names WHERE pointer = ?) ORDER BY pk DESC LIMIT ?`,
  ).all(row.session_pk, row.pointer, NAMES);
  return bound.map(({ name, pointer, at, current }) => ({
    name,
    pointer,
    boundAt: iso(at) ?? "",
    isCurrent: current === 1,
    isThis: pointer === row.pointer,
  }));
}

function decisionOf(archive: Archive, pointer: string): OffloadDecisionRow | null {
  const found = query(
    archive.sqlite,
    { "*": "offload_decisions.*" },
    "FROM offload_decisions WHERE pointer = ? ORDER BY pk DESC LIMIT 1",
  ).get(pointer);
  if (found === undefined) return null;
  return {
    seq: found.seq,
    toolCallId: found.tool_call_id,
    toolName: found.tool_name,
    sizeBytes: found.size,
    chars: found.chars,
    thresholdBytes: found.threshold,
    gate: found.gate,
    action: found.action,
    status: found.status,
    pointer: found.pointer,
    preset: found.preset,
    reason: found.reason,
    at: iso(found.at) ?? "",
  };
}

/**
 * What each preset would do with this output where it came in: at the session's window, with the prompt that the call
 * before it had, for an agent that can read artifacts back.
 */
function presetsOf(archive: Archive, row: ArtifactDbRow): PresetVerdict[] {
  const { sqlite } = archive;
  const window = scalar(sqlite, "sessions.window", "FROM sessions WHERE pk = ?").get(row.session_pk) ?? null;
  const chars = scalar(sqlite, "blobs.chars", "SELECT chars FROM blobs WHERE digest = ?").get(row.digest) ?? null;
  const used =
    row.seq === null
      ? undefined
      : scalar(
          sqlite,
          "integer",
          `SELECT input_uncached + cache_read + cache_write FROM model_calls
           WHERE session_pk = ? AND first_seq <= ? AND has_usage = 1 ORDER BY first_seq DESC, call DESC LIMIT 1`,
        ).get(row.session_pk, row.seq);
  // Bytes that are no text have no characters; a text whose characters nobody counted has at most as many as bytes.
  const output = {
    toolName: row.tool_name ?? "",
    sizeBytes: row.size,
    chars: chars ?? (row.line_count === null ? null : row.size),
  };
  return PRESET_NAMES.map((preset) => {
    const policy = PRESETS[preset];
    const decided = decideOffload(output, {
      policy: window === null ? policy : { ...policy, context_window_tokens: window },
      availableTools: READ_TOOLS,
      usedInputTokens: used ?? null,
      writesClosed: false,
    });
    return { preset, ...decided };
  });
}
