// Moments at which an agent read a file again whose last copy lay more than five outputs back: what it and its user had just
// said is the question, the file the answer. Candidates are the outputs that it had seen by then.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { rowRange, seqOfRow } from "#lib/archive/base/row-keys.ts";
import { subjectsOf, type CallSubjects } from "#lib/archive/memory/recall-subjects.ts";
import { wholeText } from "#lib/archive/artifacts/whole-text.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { callFacts } from "#lib/kernel/memory/extractive/call-facts.ts";

/** An output as a candidate: what it is a copy of, and what it says. */
export type Output = {
  readonly pointer: string | null;
  readonly seq: number;
  readonly subjects: CallSubjects;
  readonly toolName: string;
  readonly isRead: boolean;
  readonly text: string;
};

export type Moment = {
  /** The call that read the file again. */
  readonly seq: number;
  readonly path: string;
  readonly query: string;
  /** How many of the session's outputs it had seen. */
  readonly seen: number;
};

export type SessionMoments = {
  readonly id: string;
  readonly outputs: readonly Output[];
  /** The files that each call used. */
  readonly uses: readonly { readonly seq: number; readonly subjects: readonly string[] }[];
  readonly moments: readonly Moment[];
};

const APART = 5;
/** Characters of a question that a door takes. */
const QUERY_CHARS = 4000;

type Row = {
  id: number;
  type: string;
  toolCallId: string | null;
  artifact: string | null;
  bytes: number;
  inherited: number;
  body: string;
};

/** The moments of a session. Candidates are outputs of at least so many bytes, or those that are kept as artifacts. */
export async function momentsOf(archive: Archive, pk: number, least: number | "artifacts"): Promise<SessionMoments> {
  const { id, cwd } = archive.sqlite.prepare("SELECT id, cwd FROM sessions WHERE pk = ?").get(pk) as {
    id: string;
    cwd: string | null;
  };
  const rows = archive.sqlite
    .prepare(
      `SELECT id, type, tool_call_id AS toolCallId, artifact, bytes, inherited, body FROM events
     WHERE id BETWEEN ? AND ? AND synthetic = 0 ORDER BY id`,
    )
    .all(...rowRange(pk)) as Row[];
  const outputs: Output[] = [];
  const moments: Moment[] = [];
  const uses: { seq: number; subjects: readonly string[] }[] = [];
  const calls = new Map<string, { subjects: CallSubjects; toolName: string; isRead: boolean }>();
  let said = "";
  let query = "";
  for (const row of rows) {
    const seq = seqOfRow(row.id);
    const body = JSON.parse(row.body) as EventBody;
    if (body.type === "user") {
      query = body.text;
      said = "";
    } else if (body.type === "assistant") said = body.text;
    else if (body.type === "tool_call") {
      const facts = callFacts(body.toolName, body.input);
      const subjects = subjectsOf(body.toolName, body.input, facts, cwd);
      const isRead = facts.files.length === 1 && facts.files[0]!.does === "read";
      if (row.toolCallId !== null) calls.set(row.toolCallId, { subjects, toolName: body.toolName, isRead });
      if (isRead && row.inherited === 0) {
        const last = outputs.findLastIndex((output) => output.isRead && output.subjects.path === subjects.path);
        if (last >= 0 && last < outputs.length - APART)
          moments.push({
            seq,
            path: subjects.path!,
            query: `${said}\n${query}`.slice(0, QUERY_CHARS).toWellFormed(),
            seen: outputs.length,
          });
      }
      uses.push({ seq, subjects: subjects.uses });
    } else if (body.type === "tool_result") {
      const call = row.toolCallId === null ? undefined : calls.get(row.toolCallId);
      if (call === undefined || (least === "artifacts" ? row.artifact === null : row.bytes < least)) continue;
      const whole = row.artifact === null ? null : await wholeText(archive, row.artifact);
      outputs.push({ ...call, pointer: row.artifact, seq, text: whole ?? body.text });
    }
  }
  return { id, outputs, uses, moments };
}

export const sessionsIn = (archive: Archive): number[] =>
  archive.sqlite.prepare("SELECT pk FROM sessions ORDER BY id").pluck().all() as number[];

/** Plain BM25: lower-case words, the published constants, path and text as one. Positions of the outputs, best first. */
export function plainBm25(outputs: readonly Output[], query: string, chars: number): number[] {
  const docs = outputs.map(({ subjects, toolName, text }) => {
    const words = wordsOf(`${subjects.path ?? subjects.input} ${toolName} ${text.slice(0, chars)}`);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: words.length };
  });
  const average = docs.reduce((sum, { length }) => sum + length, 0) / docs.length;
  const scores = docs.map(() => 0);
  for (const word of new Set(wordsOf(query))) {
    const found = docs.filter(({ counts }) => counts.has(word)).length;
    const rarity = Math.log(1 + (docs.length - found + 0.5) / (found + 0.5));
    docs.forEach(({ counts, length }, i) => {
      const count = counts.get(word) ?? 0;
      if (count > 0) scores[i]! += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
    });
  }
  return scores.map((_, i) => i).toSorted((a, b) => scores[b]! - scores[a]! || b - a);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9_]+/g) ?? [];
