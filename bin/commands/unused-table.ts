import { unusedOfFolder } from "#lib/archive/load/list-unused.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import { unusedCsv } from "#lib/wire/usage-columns.ts";
import { unusedQuery } from "#lib/wire/usage-schema.ts";
import { archiveDir } from "./archive-dir.ts";
import { textOption, WrongWords, type Words } from "./args.ts";
import { count, oneLine, printJson, table } from "./print.ts";

/** `plimsoll usage unused`: what was carried and never used. */
export async function printUnused(words: Words): Promise<void> {
  const read = unusedQuery.safeParse({ days: textOption(words, "days") });
  if (!read.success) throw new WrongWords("--days takes a whole number of days, 1 to 3650.");
  const answer = await unusedOfFolder(archiveDir(words), read.data.days, Date.now());
  if (words.options["json"] === true) return printJson(answer);
  if (words.options["csv"] === true) return void process.stdout.write(unusedCsv(answer.rows));
  const { days, rows } = answer;
  if (rows.length === 0) return console.log(`Nothing was carried unused in the last ${days} days.`);
  console.log(
    table(
      ["carried", "sessions", "tokens", "sent", "per month", "used"],
      rows.map(({ name, sessions, tokens, sent, monthlyUsd, uses }) => [
        ...[oneLine(name, 60), count(sessions), `~${count(tokens)}`, `~${count(sent)}`],
        ...[monthlyUsd === null ? "–" : `~${dollars(monthlyUsd)}`, uses === null ? "not recorded" : "never"],
      ]),
    ),
  );
  console.log(`\nIn sessions of the last ${days} days. Whether a memory file was followed, a log cannot tell.`);
}
