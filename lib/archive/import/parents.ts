// Sub-agents and the calls that started them. A child names its parent; the parent may be imported later, and its call
// may name the child: whichever comes last ties the two.
import type { Rows } from "#db/schema.ts";
import { command, scalar, select } from "#db/statement.ts";
import { agentOfProgress } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { AGENT_SET } from "./statements.ts";

/** Ties a session to its parent, and its children to it. */
export function settleParents(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const self = select(sqlite, "sessions", ["pk", "native_id", "lane", "relation", "source_pk"], "WHERE pk = ?").get(pk);
  if (self === undefined) return;
  // Sessions that only share a file, as the rows of a data set do, are nobody's children.
  if (self.lane !== "" && self.relation !== "root") {
    // A run inside its parent's file has that file's session as its parent.
    const parent = scalar(sqlite, "sessions.native_id", "FROM sessions WHERE source_pk = ? AND lane = ''").get(
      self.source_pk,
    );
    command(sqlite, "UPDATE sessions SET parent_native = coalesce(parent_native, ?) WHERE pk = ?").run(
      parent ?? null,
      pk,
    );
  }
  const children = select(
    sqlite,
    "sessions",
    ["pk", "native_id", "lane", "parent_tool_call_id", "parent_native"],
    // A continuation is no part of what it continues: it is listed beside it.
    "WHERE (pk = ? OR parent_native = ?) AND relation <> 'continuation'",
  ).all(pk, self.native_id);
  for (const child of children) tie(archive, child);
}

type Child = Pick<Rows["sessions"], "pk" | "native_id" | "lane" | "parent_tool_call_id" | "parent_native">;

function tie(archive: Archive, child: Child): void {
  const { sqlite } = archive;
  if (child.parent_native === null) return;
  const parentPk = scalar(sqlite, "sessions.pk", "FROM sessions WHERE native_id = ?").get(child.parent_native);
  if (parentPk === undefined || parentPk === child.pk) return;
  const agentId =
    child.lane !== ""
      ? (agentOfProgress(child.lane) ?? child.lane)
      : child.native_id.slice(Math.max(child.native_id.lastIndexOf("/"), child.native_id.indexOf(":")) + 1);
  const seq =
    scalar(
      sqlite,
      "tool_interactions.call_seq",
      "FROM tool_interactions WHERE session_pk = ? AND call_seq IS NOT NULL AND (agent_id = ? OR tool_call_id = ?) LIMIT 1",
    ).get(parentPk, agentId, child.parent_tool_call_id) ?? callWithPrompt(archive, parentPk, child.pk);
  command(sqlite, "UPDATE sessions SET parent_pk = ?, parent_tool_call_seq = ? WHERE pk = ?").run(
    parentPk,
    seq ?? null,
    child.pk,
  );
  // Named, so that the parent's call can show its child.
  if (typeof seq === "number")
    command(
      sqlite,
      `UPDATE tool_interactions SET ${AGENT_SET} WHERE session_pk = ? AND call_seq = ? AND agent_id IS NULL`,
    ).run(agentId, parentPk, seq);
}

/** The parent's call whose prompt is the child's first words: the only link that generation 1 leaves. */
function callWithPrompt(archive: Archive, parentPk: number, childPk: number): number | null {
  const first = scalar(
    archive.sqlite,
    "events.body",
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'user' ORDER BY id LIMIT 1",
  ).get(...rowRange(childPk));
  if (first === undefined) return null;
  const prompt = (JSON.parse(first) as { text: string }).text;
  if (prompt === "") return null;
  const seq = scalar(
    archive.sqlite,
    "tool_interactions.call_seq!",
    `SELECT t.call_seq FROM tool_interactions t JOIN events e ON e.id = t.session_pk * 4294967296 + t.call_seq
       WHERE t.session_pk = ? AND t.agent_id IS NULL AND json_extract(e.body, '$.input.prompt') = ? ORDER BY t.call_seq LIMIT 1`,
  ).get(parentPk, prompt);
  return seq ?? null;
}
