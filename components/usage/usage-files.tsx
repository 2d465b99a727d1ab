"use client";
// The whole table as a file: the page has the rows of the largest groups alone, and asks for the others when they are wanted.
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { blocksAnswer } from "#lib/wire/blocks-schema.ts";
import { blocksCsv, unusedCsv, usageCsv } from "#lib/wire/usage-columns.ts";
import { unusedAnswer, usageAnswer } from "#lib/wire/usage-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { saveFile } from "../ui/save-file.ts";
import { usageQuestion, type UsageChoices } from "./usage-state.ts";

type UsageFilesProps = { choices: UsageChoices; today: string; isEmpty: boolean };

type File = { csv: string; answer: unknown };

async function fileOf(choices: UsageChoices, today: string): Promise<File> {
  const { period } = choices;
  if (period === "blocks") {
    const answer = await api("/api/usage/blocks?days=30", blocksAnswer);
    return { csv: blocksCsv(answer.blocks), answer };
  }
  if (period === "unused") {
    const answer = await api("/api/usage/unused?days=30", unusedAnswer);
    return { csv: unusedCsv(answer.rows), answer };
  }
  const answer = await api(withQuery("/api/usage", usageQuestion(choices, today)), usageAnswer);
  return { csv: usageCsv(answer[period] ?? []), answer };
}

const FILES = [
  { kind: "csv", label: "CSV", title: "All rows as CSV" },
  { kind: "json", label: "JSON", title: "All rows as JSON" },
] as const;

export function UsageFiles({ choices, today, isEmpty }: UsageFilesProps) {
  const saved = useMutation({
    mutationFn: async (kind: "csv" | "json") => {
      const { csv, answer } = await fileOf(choices, today);
      saveFile(kind === "csv" ? csv : JSON.stringify(answer), `usage-${choices.period}-${today}.${kind}`);
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
