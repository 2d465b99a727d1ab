// System prompt and tools as a session's file tells them: which parts stand from where on.
import { columns, query } from "#db/statement.ts";
import { SYSTEM_PART, TOOL_PART } from "#lib/kernel/request-records.ts";
import type { Archive } from "./archive-type.ts";
import { rowRange, seqOfRow } from "./row-keys.ts";

/** The parts of a prompt from a position of the log on, by their events. */
export type FrameShape = {
  readonly seq: number;
  readonly parts: ReadonlyMap<string, number>;
  readonly came: readonly (readonly [part: string, seq: number])[];
  readonly gone: readonly number[];
};

export function shapesOf(archive: Archive, pk: number): FrameShape[] {
  const rows = query(
    archive.sqlite,
    { ...columns("events", "id"), part: "text?", parts: "text?" },
    `SELECT id, json_extract(body, '$.part') AS part, json_extract(body, '$.parts') AS parts FROM events
     WHERE id BETWEEN ? AND ? AND type = 'meta' AND (label GLOB '${SYSTEM_PART} *' OR label GLOB '${TOOL_PART} *' OR label GLOB 'api-request-shape *') ORDER BY id`,
  ).all(...rowRange(pk));
  // Captured requests tell a part once: what stands again is known from before.
  const known = new Map<string, number>();
  const shapes: (FrameShape & { parts: Map<string, number>; came: [string, number][] })[] = [];
  for (const { id, part, parts: named } of rows) {
    const seq = seqOfRow(id);
    const before = shapes.at(-1);
    if (named !== null) {
      const stays = new Set(JSON.parse(named) as string[]);
      const stood = [...(before?.parts ?? [])];
      const gone = stood.filter(([one]) => !stays.has(one)).map(([, at]) => at);
      const parts = new Map([...known].filter(([one]) => stays.has(one)));
      shapes.push({ seq, parts, came: [], gone });
    } else if (part !== null && before !== undefined) {
      known.set(part, seq);
      before.parts.set(part, seq);
      before.came.push([part, seq]);
    }
  }
  return shapes;
}
