"use client";
// The rows that match the filters as a file: fetched page by page when a button is pressed.
import { csvText } from "#lib/kernel/csv-text.ts";
import { auditAnswer, type AuditRow } from "#lib/wire/fleet-people-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { FileButtons, type TableFile } from "../ui/file-buttons.tsx";
import { formatCount } from "../ui/format.ts";
import type { auditQuestion } from "./fleet-state.ts";

type Question = ReturnType<typeof auditQuestion>;

/** Rows of one request, as many as the server gives; and of a file. */
const STEP = 1000;
const MOST = 50_000;

const COLUMNS = ["at", "who", "action", "project", "session", "address", "detail"] as const;

async function fileOf(question: Question): Promise<TableFile> {
  const rows: AuditRow[] = [];
  let isAll = false;
  for (let before = ""; !isAll && rows.length < MOST; before = rows.at(-1)?.at ?? "") {
    const answer = await api(withQuery("/api/fleet/audit", { ...question, limit: STEP, before }), auditAnswer);
    rows.push(...answer.rows);
    isAll = answer.rows.length < STEP;
  }
  const note = `The file has the newest ${formatCount(MOST, "row")}.`;
  const name = `audit-${new Date().toISOString().slice(0, 10)}`;
  return { name, csv: csvText(COLUMNS, rows), answer: { rows }, ...(!isAll && { note }) };
}

export function AuditFiles({ question, isEmpty }: { question: Question; isEmpty: boolean }) {
  return <FileButtons isEmpty={isEmpty} fileOf={() => fileOf(question)} />;
}
