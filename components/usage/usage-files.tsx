"use client";
// The whole table as a file: the page has the rows of the largest groups alone, and asks for the others when they are wanted.
import { blocksAnswer } from "#lib/wire/blocks-schema.ts";
import { blocksCsv, groupsCsv, unusedCsv, usageCsv } from "#lib/wire/usage-columns.ts";
import { unusedAnswer, usageAnswer } from "#lib/wire/usage-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { FileButtons, type TableFile } from "../ui/file-buttons.tsx";
import { lastDays, tableOf, usageQuestion, type UsageChoices } from "./usage-state.ts";

type UsageFilesProps = { choices: UsageChoices; today: string; isEmpty: boolean };

/** The table has a row for each group, and none for a day. */
const isByGroup = ({ period, rows }: UsageChoices): boolean =>
  rows === "groups" && tableOf(period) !== null && period !== "sessions";

async function rowsOf(choices: UsageChoices, today: string): Promise<Pick<TableFile, "csv" | "answer">> {
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

export function UsageFiles({ choices, today, isEmpty }: UsageFilesProps) {
  const name = `usage-${isByGroup(choices) ? `by-${choices.by}` : choices.period}-${today}`;
  return <FileButtons isEmpty={isEmpty} fileOf={async () => ({ name, ...(await rowsOf(choices, today)) })} />;
}
