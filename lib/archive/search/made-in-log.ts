// Commits and pull requests that a session made, as its own log says: the output of git and gh, and the client's note of one.
import { columns, query, type Columns } from "#db/statement.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import {
  commitsIn,
  makesCommit,
  makesPull,
  pullsIn,
  type SaidCommit,
  type SaidPull,
} from "#lib/kernel/made-in-output.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { storedText } from "./indexed-docs.ts";

export type MadeInLog = {
  readonly commits: readonly (SaidCommit & { readonly seq: number; readonly ts: number | null })[];
  readonly pulls: readonly (SaidPull & { readonly seq: number; readonly ts: number | null })[];
};

/** Of either, the first so many. */
const MOST = 1000;

const PAIR = {
  ...columns("events", "id", "ts", "artifact"),
  call: "events.body",
  tool: "tool_interactions.tool_name",
  result: "events.body",
} as const satisfies Columns;

const NOTE = columns("events", "id", "ts", "body");

/** What a fork copied was made where it began. */
export async function madeInLog(archive: Archive, pk: number): Promise<MadeInLog> {
  const commits: MadeInLog["commits"][number][] = [];
  const pulls: MadeInLog["pulls"][number][] = [];
  const [base] = rowRange(pk);
  const pairs = query(
    archive.sqlite,
    PAIR,
    `SELECT r.id, r.ts, r.artifact, c.body AS call, i.tool_name AS tool, r.body AS result
     FROM tool_interactions i JOIN events c ON c.id = ? + i.call_seq JOIN events r ON r.id = ? + i.result_seq
     WHERE i.session_pk = ? AND c.inherited = 0 AND (c.body LIKE '%git%' OR c.body LIKE '%gh %' OR c.body LIKE '%glab%'
       OR i.tool_name LIKE '%create%request%') ORDER BY r.id`,
  ).all(base, base, pk);
  for (const pair of pairs) {
    if (commits.length + pulls.length > MOST) break;
    const input = inputOf(pair.call);
    const [hasCommit, hasPull] = [makesCommit(input), makesPull(input, pair.tool)];
    if (!hasCommit && !hasPull) continue;
    const output = await outputOf(archive, pair.result, pair.artifact);
    const at = { seq: seqOfRow(pair.id), ts: pair.ts };
    if (hasCommit) commits.push(...commitsIn(output).map((one) => ({ ...one, ...at })));
    if (hasPull) pulls.push(...pullsIn(output).map((one) => ({ ...one, ...at })));
  }
  const notes = query(
    archive.sqlite,
    NOTE,
    `SELECT id, ts, body FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' AND inherited = 0
       AND json_extract(body, '$.subtype') = 'pr-link' ORDER BY id`,
  ).all(...rowRange(pk));
  for (const { id, ts, body } of notes)
    pulls.push(...pullsIn(eventText(JSON.parse(body) as EventBody)).map((one) => ({ ...one, seq: seqOfRow(id), ts })));
  return { commits: firstOf(commits, ({ sha }) => sha), pulls: firstOf(pulls, ({ url }) => url) };
}

function inputOf(json: string): string {
  const body = JSON.parse(json) as EventBody;
  if (body.type !== "tool_call") return "";
  const { input } = body;
  if (typeof input === "string") return input;
  const command = (input as { command?: unknown; cmd?: unknown } | null)?.command ?? (input as { cmd?: unknown })?.cmd;
  // A command in parts is read as it would be typed.
  return Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : eventText(body);
}

async function outputOf(archive: Archive, json: string, artifact: string | null): Promise<string> {
  const stored = artifact === null ? null : await storedText(archive, artifact);
  const text = stored ?? eventText(JSON.parse(json) as EventBody);
  return text.replaceAll("\r\n", "\n");
}

function firstOf<One>(all: readonly One[], key: (one: One) => string): One[] {
  const seen = new Set<string>();
  return all.filter((one) => !seen.has(key(one)) && seen.add(key(one)));
}
