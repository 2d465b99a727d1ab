"use client";
// What the first page answers before the list: how much of this week's spend was avoidable, where it went, and what wastes most.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo } from "react";
import { estimatedUsd, leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { homeAnswer, HOME_GROUPS, type HomeAnswer as Answer, type HomeFinding } from "#lib/wire/home-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { fetched } from "../ui/fetched.tsx";
import { formatCount, formatPercent, formatUsd } from "../ui/format.ts";
import { Segmented } from "../ui/segmented.tsx";
import { waitingWords } from "./finding-words.ts";
import { StackedBars } from "./stacked-bars.tsx";
import { periodName, periodsBetween, stackOf } from "./usage-series.ts";

// Names of findings weigh more than the page has left; what the server drew stands until they come.
const TopFindings = fetched(() => import("./top-findings.tsx").then((module) => module.TopFindings));

const BudgetLines = fetched(() => import("./budget-lines.tsx").then((module) => module.BudgetLines));

const CHART_PX = 132;
const GROUP_WORDS = { project: "Project", model: "Model", agent: "Agent" } as const;

export function HomeAnswer() {
  const [by, setBy] = useQueryState(
    "by",
    parseAsStringLiteral(HOME_GROUPS).withDefault("project").withOptions({ history: "replace" }),
  );
  // Under the key of the sessions: what changes the list changes the answer.
  const { data } = useQuery({
    queryKey: ["sessions", "home", by],
    queryFn: ({ signal }) => api(withQuery("/api/home", { by }), homeAnswer, { signal }),
    placeholderData: keepPreviousData,
  });
  const stack = useMemo(
    () =>
      data === undefined
        ? null
        : stackOf(data.days, "cost", periodsBetween([], "daily", { first: data.since, last: data.until })),
    [data],
  );
  if (data === undefined || stack === null || data.calls === 0) return null;
  const budgets = data.budgets.length > 0 && (
    <BudgetLines budgets={data.budgets} className="border-b border-line px-6 py-2 max-md:px-4" />
  );
  if (data.isOld)
    return (
      <>
        {budgets}
        <Line answer={data} />
      </>
    );
  return (
    <>
      {budgets}
      <Line answer={data} small />
      <section
        aria-label="This week"
        className="grid max-md:hidden [@media(max-height:640px)]:hidden flex-none grid-cols-[190px_minmax(0,1fr)_minmax(0,340px)] gap-x-8 border-b border-line px-6 pt-4 pb-3 max-lg:grid-cols-[170px_minmax(0,1fr)]"
      >
        <Spend answer={data} />
        <div className="min-w-0">
          <div className="mb-1 flex items-baseline gap-3">
            <h2 className="flex-1 text-12 font-medium">Spend by day</h2>
            <Segmented
              label="Stacked by"
              value={by}
              options={HOME_GROUPS.map((value) => ({ value, label: GROUP_WORDS[value] }))}
              onPick={(value) => void setBy(value)}
            />
          </div>
          <StackedBars
            stack={stack}
            measure="cost"
            by={by}
            height={CHART_PX}
            whole="This week"
            hrefOf={(day) => `/usage?period=sessions&since=${day}&until=${day}`}
          />
        </div>
        <TopFindings answer={data} />
      </section>
    </>
  );
}

const least = ({ usd, isPartial }: Pick<HomeFinding, "usd" | "isPartial">): string => leastUsd(usd, isPartial) ?? "–";
const saved = ({ usd, isPartial }: Pick<HomeFinding, "usd" | "isPartial">): string =>
  estimatedUsd(usd, isPartial) ?? "–";

function Spend({ answer }: { answer: Answer }) {
  const { avoidable, spent, before, waiting } = answer;
  return (
    <div className="min-w-0">
      <p className="text-12 font-medium">Avoidable this week</p>
      <p
        className="mt-1 text-[32px] leading-9 font-semibold tracking-[-.02em] tabular-nums"
        title="What this week's fixes would have saved, at list price"
      >
        {saved(avoidable)}
      </p>
      <p className="mt-1 text-ink-2">
        of{" "}
        <Link className="link underline" href="/usage?range=7">
          {least(spent)}
        </Link>{" "}
        spent{spent.usd > 0 && `, ${formatPercent(avoidable.usd / spent.usd)}`}
      </p>
      <p className="text-12 text-ink-3">{changeWords(spent.usd, before.usd)}</p>
      {waiting > 0 && <p className="mt-1 text-12 text-ink-3">{waitingWords(waiting)}</p>}
    </div>
  );
}

function changeWords(now: number, before: number): string {
  if (before <= 0) return "No spend the week before.";
  const change = now / before - 1;
  if (Math.abs(change) < 0.005) return `As the week before: ${formatUsd(before)}.`;
  return `${formatPercent(Math.abs(change))} ${change > 0 ? "more" : "less"} than the week before.`;
}

/** Where nothing was called for a week, or the window is small: one line, and the list has the room. */
function Line({ answer, small = false }: { answer: Answer; small?: boolean }) {
  const { until, spent, avoidable, findingsTotal, waiting, isOld } = answer;
  const when = isOld ? `in the week to ${periodName(until)}` : "this week";
  return (
    <section
      aria-label={isOld ? "Last week with use" : "This week, in short"}
      className={`flex flex-none flex-wrap items-baseline gap-x-4 border-b border-line px-6 py-2 text-ink-2 max-md:px-4 ${small ? "md:[@media(min-height:640.02px)]:hidden" : ""}`}
    >
      <span>
        {leastUsd(spent.usd, spent.isPartial) === null ? (
          `Spend ${when}: ${NO_PRICE}.`
        ) : waiting > 0 && avoidable.usd === 0 ? (
          <>
            {least(spent)} spent {when}. {waitingWords(waiting)}
          </>
        ) : (
          <>
            <b className="font-semibold text-ink">{saved(avoidable)}</b> avoidable of {least(spent)} {when}.
          </>
        )}
      </span>
      <Link className="link" href={isOld ? "/usage?range=all" : "/usage?range=7"}>
        Usage
      </Link>
      {findingsTotal > 0 && (
        <Link className="link" href="/findings">
          {formatCount(findingsTotal, "finding")}
        </Link>
      )}
    </section>
  );
}
