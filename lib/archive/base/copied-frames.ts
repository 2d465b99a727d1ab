// What copied calls were sent before their conversation. A fork's file begins with records of its parent, and has no shape of its own
// until it calls a model itself; where the archive holds the parent, the same call stands behind the shape that it was sent under.
import { query, scalar } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";
import { eventRowId } from "./row-keys.ts";
import { shapesOf } from "./frame-shapes.ts";

/** A copied call, and the rows of its parts in the session that it was made in. */
export type CopiedFrame = { readonly firstSeq: number; readonly parts: ReadonlyMap<string, number> };

/**
 * The calls of a session before its first shape (`before`; null: all of them) that were copied from sessions which hold their
 * shapes: the last ones of them without a gap, since what stood before a call that nobody knows is not known either.
 */
export function copiedFrames(archive: Archive, pk: number, before: number | null): CopiedFrame[] {
  const partners = scalar(archive.sqlite, "lineage.other_pk", "FROM lineage WHERE session_pk = ?").all(pk);
  const shapes = new Map(partners.map((other) => [other, shapesOf(archive, other)]));
  if (partners.every((other) => shapes.get(other)!.length === 0)) return [];
  const rows = query(
    archive.sqlite,
    { firstSeq: "model_calls.first_seq", other: "model_calls.session_pk?", theirs: "model_calls.first_seq?" },
    `SELECT m.first_seq AS firstSeq, o.session_pk AS other, o.first_seq AS theirs FROM model_calls m
     LEFT JOIN model_calls o ON o.key = m.key AND o.session_pk IN (SELECT other_pk FROM lineage WHERE session_pk = m.session_pk)
     WHERE m.session_pk = ? AND m.first_seq < ? ORDER BY m.first_seq, o.inherited, o.session_pk`,
  ).all(pk, before ?? Number.MAX_SAFE_INTEGER);
  const calls = [...Map.groupBy(rows, ({ firstSeq }) => firstSeq)].map(([firstSeq, others]) => {
    const known = others.flatMap(({ other, theirs }) => {
      const shape = shapes.get(other ?? -1)?.findLast(({ seq }) => seq <= theirs!);
      return shape === undefined ? [] : [{ other: other!, shape }];
    })[0];
    const parts = [...(known?.shape.parts ?? [])].map(([part, seq]) => [part, eventRowId(known!.other, seq)] as const);
    return { firstSeq, parts: known === undefined ? null : new Map(parts) };
  });
  const unknown = calls.findLastIndex(({ parts }) => parts === null);
  return calls.slice(unknown + 1).flatMap(({ firstSeq, parts }) => (parts === null ? [] : [{ firstSeq, parts }]));
}
