"use client";
// The whole table as a file: the page has the rows of the largest groups alone, and asks for the others when they are wanted.
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { TablePeriod } from "#lib/kernel/load/usage-periods.ts";
import { usageCsv } from "#lib/wire/usage-columns.ts";
import { usageAnswer } from "#lib/wire/usage-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { saveFile } from "../ui/save-file.ts";

type UsageFilesProps = {
  question: Readonly<Record<string, string | null>>;
  period: TablePeriod;
  name: string;
  isEmpty: boolean;
};

const FILES = [
  { kind: "csv", label: "CSV", title: "All rows as CSV" },
  { kind: "json", label: "JSON", title: "All rows as JSON" },
] as const;

export function UsageFiles({ question, period, name, isEmpty }: UsageFilesProps) {
  const saved = useMutation({
    mutationFn: async (kind: "csv" | "json") => {
      const answer = await api(withQuery("/api/usage", question), usageAnswer);
      saveFile(kind === "csv" ? usageCsv(answer[period] ?? []) : JSON.stringify(answer), `${name}.${kind}`);
    },
  });
  const why = isEmpty ? "There are no rows" : saved.isPending ? "The file is being made" : null;
  return (
    <span className="flex flex-wrap items-center justify-end gap-2">
      {saved.error !== null && <RequestFailure error={saved.error} title="The file was not made" />}
      {FILES.map(({ kind, label, title }) => (
        <Button key={kind} small disabled={why !== null} title={why ?? title} onClick={() => saved.mutate(kind)}>
          <Download size={12} aria-hidden="true" />
          {label}
        </Button>
      ))}
    </span>
  );
}
