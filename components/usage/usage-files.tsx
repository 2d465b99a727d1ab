"use client";
// The whole table as a file: the page has the rows of the largest groups alone, and asks for the others when they are wanted.
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { blocksAnswer } from "#lib/wire/blocks-schema.ts";
import { blocksCsv, groupsCsv, unusedCsv, usageCsv } from "#lib/wire/usage-columns.ts";
import { unusedAnswer, usageAnswer } from "#lib/wire/usage-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { saveFile } from "../ui/save-file.ts";
import { lastDays, tableOf, usageQuestion, type UsageChoices } from "./usage-state.ts";

type UsageFilesProps = { choices: UsageChoices; today: string; isEmpty: boolean };

type File = { csv: string; answer: unknown };

/** The table has a row for each group, and none for a day. */
const isByGroup = ({ period, rows }: UsageChoices): boolean =>
  rows === "groups" && tableOf(period) !== null && period !== "sessions";

async function fileOf(choices: UsageChoices, today: string): Promise<File> {
  const { period } = choices;
  const days = lastDays(choices.range);
  if (period === "blocks") {
    const answer = await api(withQuery("/api/usage/blocks", { days }), blocksAnswer);
    return { csv: blocksCsv(answer.blocks), answer };
  }
  if (period === "unused") {
    const answer = await api(withQuery("/api/usage/unused", { days }), unusedAnswer);
    return { csv: unusedCsv(answer.rows), answer };
  }
  if (isByGroup(choices)) {
    // The sums of all groups come with the rows of some alone.
    const {
      groups = [],
      totals,
      timezone,
    } = await api(withQuery("/api/usage", { ...usageQuestion(choices, today), top: 1 }), usageAnswer);
    return { csv: groupsCsv(groups), answer: { groups, totals, timezone } };
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
      const rows = isByGroup(choices) ? `by-${choices.by}` : choices.period;
      saveFile(kind === "csv" ? csv : JSON.stringify(answer), `usage-${rows}-${today}.${kind}`);
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
