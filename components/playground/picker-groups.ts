// The artifacts of the picker by session: JSON first, as jq reads nothing else, then the newest. Pure.
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";

export type PickerGroup = { readonly session: string; readonly title: string; readonly rows: readonly ArtifactRow[] };

export const JSON_TYPES = ["application/json", "application/x-ndjson"] as const;

const isJsonRow = ({ contentType }: ArtifactRow): boolean =>
  JSON_TYPES.some((type) => contentType === type || contentType.startsWith(`${type};`));

/** Each artifact once. `first`: the session that comes before the others. */
export function pickerGroups(rows: readonly ArtifactRow[], first: string | null): PickerGroup[] {
  const once = [...new Map(rows.map((row) => [row.pointer, row])).values()];
  const newest = once.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const byKind = [...newest.filter(isJsonRow), ...newest.filter((row) => !isJsonRow(row))];
  // A session with JSON comes before one without.
  const groups = [...Map.groupBy(byKind, ({ sessionId }) => sessionId)].map(([session, own]) => ({
    session,
    title: own[0]?.sessionTitle ?? session,
    rows: own,
  }));
  return [...groups.filter(({ session }) => session === first), ...groups.filter(({ session }) => session !== first)];
}
