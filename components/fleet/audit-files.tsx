"use client";
// The rows that fit the filters as a file: asked for page by page when they are wanted.
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { csvText } from "#lib/kernel/csv-text.ts";
import { auditAnswer, type AuditRow } from "#lib/wire/fleet-people-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { saveFile } from "../ui/save-file.ts";
import type { auditQuestion } from "./fleet-state.ts";

type Question = ReturnType<typeof auditQuestion>;

/** Rows of one request, as many as the server gives; and of a file. */
const STEP = 1000;
const MOST = 50_000;

async function allRows(question: Question): Promise<{ rows: AuditRow[]; isAll: boolean }> {
  const rows: AuditRow[] = [];
  for (let before = ""; ; before = rows.at(-1)!.at) {
    const answer = await api(withQuery("/api/fleet/audit", { ...question, limit: STEP, before }), auditAnswer);
    rows.push(...answer.rows);
    if (answer.rows.length < STEP) return { rows, isAll: true };
    if (rows.length >= MOST) return { rows, isAll: false };
  }
}

const COLUMNS = ["at", "who", "action", "project", "session", "address", "detail"] as const;
const FILES = [
  { kind: "csv", label: "CSV", title: "All rows as CSV" },
  { kind: "json", label: "JSON", title: "All rows as JSON" },
] as const;

export function AuditFiles({ question, isEmpty }: { question: Question; isEmpty: boolean }) {
  const saved = useMutation({
    mutationFn: async (kind: "csv" | "json") => {
      const { rows, isAll } = await allRows(question);
      const name = `audit-${new Date().toISOString().slice(0, 10)}.${kind}`;
      saveFile(kind === "csv" ? csvText(COLUMNS, rows) : JSON.stringify({ rows }), name);
      return isAll;
    },
  });
  const why = isEmpty ? "There are no rows" : saved.isPending ? "The file is being made" : null;
  return (
    <span className="flex flex-wrap items-center justify-end gap-2">
      {saved.error !== null && <RequestFailure error={saved.error} title="The file was not made" />}
      {saved.data === false && (
        <output className="text-12 text-ink-2">The file has the newest {formatCount(MOST, "row")}.</output>
      )}
      {FILES.map(({ kind, label, title }) => (
        <Button key={kind} small disabled={why !== null} title={why ?? title} onClick={() => saved.mutate(kind)}>
          <Download size={12} aria-hidden="true" />
          {label}
        </Button>
      ))}
    </span>
  );
}
