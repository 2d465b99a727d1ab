import { blocksOfFolder } from "#lib/archive/load/list-blocks.ts";
import { dollars, leastUsd, NO_PRICE, shortly } from "#lib/kernel/load/load-labels.ts";
import { blocksQuery, type PlanLimit, type UsageBlock } from "#lib/wire/blocks-schema.ts";
import { blocksCsv } from "#lib/wire/usage-columns.ts";
import { archiveDir } from "./archive-dir.ts";
import { textOption, WrongWords, type Words } from "./args.ts";
import { count, oneLine, printJson, table } from "./print.ts";

/** `plimsoll usage blocks`: five-hour blocks, the active one with its projection, and the limits that files state. */
export async function printBlocks(words: Words): Promise<void> {
  const read = blocksQuery.safeParse({ days: textOption(words, "days"), agent: textOption(words, "agent") });
  if (!read.success) throw new WrongWords("--days takes a whole number of days, 1 to 3650.");
  const answer = await blocksOfFolder(archiveDir(words), read.data, Date.now());
  if (words.options["json"] === true) return printJson(answer);
  if (words.options["csv"] === true) return void process.stdout.write(blocksCsv(answer.blocks));
  const { blocks, limits } = answer;
  if (blocks.length === 0) console.log(`No model calls in the last ${read.data.days} days.`);
  else
    console.log(
      table(
        ["begins", "calls", "tokens", "cost", "tokens a minute", "$ an hour", "models"],
        blocks.map((one) => [
          ...[localMinute(one.startTime) + (one.isActive ? " (now)" : ""), count(one.entries), count(one.totalTokens)],
          ...[leastUsd(one.costUSD, one.isPartial) ?? "–"],
          ...(one.burnRate === null
            ? ["–", "–"]
            : [
                count(Math.round(one.burnRate.tokensPerMinute)),
                leastUsd(one.burnRate.costPerHour, one.isPartial) ?? "–",
              ]),
          oneLine(one.models.join(", "), 60),
        ]),
        new Set([0, 6]),
      ),
    );
  const active = blocks.find(({ isActive }) => isActive);
  if (active !== undefined) console.log(`\n${projectionWords(active)}`);
  for (const limit of limits) console.log(limitWords(limit));
}

/** In this system's zone: `2026-03-09 14:00`. */
const localMinute = (iso: string): string => {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ");
};

const projectionWords = ({ projection, costUSD, isPartial }: UsageBlock): string =>
  projection === null
    ? "The active block is too young for a projection."
    : `At this rate the active block ends in ${projection.remainingMinutes} min at ~${shortly(projection.totalTokens)} tokens, ${leastUsd(costUSD, isPartial) === null ? NO_PRICE : `~${dollars(projection.totalCost)}`}.`;

function limitWords({ agent, plan, windowMinutes, usedShare, isOver, minutesLeft, statedAt }: PlanLimit): string {
  const window =
    windowMinutes === null ? "window" : windowMinutes < 1440 ? `${windowMinutes / 60} h` : `${windowMinutes / 1440} d`;
  const when = isOver ? "has ended since" : minutesLeft === null ? "" : `resets in ${minutesLeft} min`;
  return `${agent}${plan === null ? "" : ` (${plan})`}, ${window}: ${Math.round(100 * usedShare)} % used, ${when}${statedAt === null ? "" : `; stated ${localMinute(statedAt)}`}.`;
}
