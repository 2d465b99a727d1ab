// System prompt and tools of a session whose file holds its requests: which events they are, and where another shape ends some.
import { columns, query } from "#db/statement.ts";
import { SYSTEM_PART, TOOL_PART } from "#lib/kernel/request-records.ts";
import type { CompactionPlace } from "#lib/kernel/load/residency.ts";
import type { Archive } from "./archive-type.ts";
import { rowRange, seqOfRow } from "./row-keys.ts";

type FramePart = { readonly seq: number; readonly part: string };
export type FrameParts = { readonly parts: readonly FramePart[]; readonly ends: readonly CompactionPlace[] };

/** System prompt and tools of a session whose file holds them, and where some of them are not sent any more. */
export function framePartsOf(archive: Archive, pk: number): FrameParts {
  const rows = query(
    archive.sqlite,
    { ...columns("events", "id"), part: "text?", parts: "text?" },
    `SELECT id, json_extract(body, '$.part') AS part, json_extract(body, '$.parts') AS parts FROM events
     WHERE id BETWEEN ? AND ? AND type = 'meta' AND (label GLOB '${SYSTEM_PART} *' OR label GLOB '${TOOL_PART} *' OR label GLOB 'api-request-shape *') ORDER BY id`,
  ).all(...rowRange(pk));
  const parts: FramePart[] = [];
  const ends: CompactionPlace[] = [];
  let standing: readonly FramePart[] = [];
  for (const { id, part, parts: named } of rows) {
    const seq = seqOfRow(id);
    if (part !== null) {
      parts.push({ seq, part });
      standing = [...standing, { seq, part }];
    }
    if (named === null) continue;
    const stays = new Set(JSON.parse(named) as string[]);
    const gone = standing.filter((one) => !stays.has(one.part));
    standing = standing.filter((one) => stays.has(one.part));
    if (gone.length > 0) ends.push({ seq, kind: "micro", seqs: new Set(gone.map((one) => one.seq)) });
  }
  return { parts, ends };
}

/** Every place where a prompt of the session came to hold less: compactions, and parts of its frame that ended. */
export const promptPlaces = ({ ends }: FrameParts, compactions: readonly CompactionPlace[]): CompactionPlace[] =>
  [...compactions, ...ends].toSorted((a, b) => a.seq - b.seq);
