"use client";
// Two sessions side by side, on one scale of tokens: what differs, and who was to blame in each.
import Link from "next/link";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { leastUsd } from "#lib/kernel/load/load-labels.ts";
import { topOf } from "#lib/kernel/load/geometry.ts";
import { PageHead } from "../ui/page-head.tsx";
import { CompareSide } from "./compare-side.tsx";
import { useCompared, type ComparedAnswers } from "./use-compared.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { sessionsAnswer, type SessionRow } from "#lib/wire/sessions-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { formatCount, formatPercent } from "../ui/format.ts";
import { PickList, type Pick } from "../ui/pick-list.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { Absent } from "../ui/num.tsx";
import { differenceWords, FIGURES, type Compared, type Figure } from "./load-figures.ts";

const SIDES = ["a", "b"] as const;
type Side = (typeof SIDES)[number];

export function ComparePage() {
  const [chosen, choose] = useQueryStates(
    { a: parseAsString, b: parseAsString, ca: parseAsInteger, cb: parseAsInteger },
    { history: "replace" },
  );
  const a = useCompared(chosen.a);
  const b = useCompared(chosen.b);
  const sides = { a, b };
  const max = Math.max(...SIDES.map((side) => scaleOf(sides[side])));
  const pick = (side: Side) => (id: string | null) => void choose({ [side]: id, [`c${side}`]: null });
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pb-8">
      <PageHead title="Compare">Two sessions side by side, on one scale of tokens.</PageHead>
      <div className="mt-3 grid grid-cols-2 gap-x-8 gap-y-6 px-6 max-lg:grid-cols-1 max-md:px-4">
        {SIDES.map((side) => {
          const id = chosen[side];
          const name = side === "a" ? "First session" : "Second session";
          return (
            <section
              key={side}
              aria-label={name}
              // Below the first it comes when that has its height: it would be pushed away.
              className={`min-w-0 ${side === "b" && chosen.a !== null && isOnItsWay(a) ? "max-lg:hidden" : ""}`}
            >
              {id === null ? (
                <PickSession label={name} other={chosen[side === "a" ? "b" : "a"]} onPick={pick(side)} />
              ) : (
                <CompareSide
                  key={id}
                  id={id}
                  side={sides[side]}
                  max={max}
                  call={side === "a" ? chosen.ca : chosen.cb}
                  onCall={(call) => void choose({ [`c${side}`]: call })}
                  onChange={() => pick(side)(null)}
                />
              )}
            </section>
          );
        })}
      </div>
      {a.session.data && a.ledger.data && b.session.data && b.ledger.data && (
        <FigureTable
          a={{ session: a.session.data, ledger: a.ledger.data }}
          b={{ session: b.session.data, ledger: b.ledger.data }}
        />
      )}
    </div>
  );
}

const isOnItsWay = ({ session, ledger, load }: ComparedAnswers): boolean =>
  (load.view === null || ledger.data === undefined) && !(session.error ?? ledger.error ?? load.error);

const scaleOf = ({ load }: ComparedAnswers): number =>
  load.view === null ? 1 : topOf(load.view.prompts, load.view.line);

// Chooses a session by its words, newest first.
const FOUND = 12;

type PickSessionProps = { label: string; other: string | null; onPick: (id: string) => void };

function PickSession({ label, other, onPick }: PickSessionProps) {
  const [text, setText] = useState("");
  const request = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ["sessions", "pick", request],
    queryFn: ({ signal }) =>
      api(withQuery("/api/sessions", { q: request, limit: FOUND + 1 }), sessionsAnswer, { signal }),
    placeholderData: keepPreviousData,
  });
  const found = (data?.sessions ?? []).filter((session) => session.id !== other).slice(0, FOUND);
  return (
    <PickList
      label={label}
      placeholder="A word from a session"
      text={text}
      onText={setText}
      found={data === undefined ? null : found.map(pickOf)}
      none={
        request !== "" ? (
          "No session matches."
        ) : (
          <>
            {other === null ? "No sessions yet. " : "No other session yet. "}
            <Link className="link underline" href="/">
              Add sessions
            </Link>
          </>
        )
      }
      loading="Loading the sessions"
      onPick={onPick}
    />
  );
}

function pickOf({ id, title, agent, calls, startedAt, peak: { tokens, loadLine } }: SessionRow): Pick {
  return {
    id,
    name: <SafeText text={title || "Untitled session"} />,
    about: (
      <>
        <span className="flex-none text-12 text-ink-3 max-sm:hidden">
          {agent}, {formatCount(calls, "call")}
        </span>
        <span className="num w-24 flex-none text-12 text-ink-3">
          <When ts={startedAt} />
        </span>
        <span className="num w-14 flex-none text-12 text-ink-2" title="Peak, of its load line">
          {tokens === null || loadLine === null ? "–" : formatPercent(tokens / loadLine)}
        </span>
      </>
    ),
  };
}

// What two sessions come to, figure by figure, and by how much the second differs.
function FigureTable({ a, b }: { a: Compared; b: Compared }) {
  return (
    <div className="mt-6 px-6 max-md:px-4">
      <h2 className="text-15 font-semibold">What differs</h2>
      <table className="mt-1 w-full max-w-220 table-fixed" aria-label="What differs">
        <thead>
          <tr className="h-7 border-b border-line-strong text-12 text-ink-3">
            <th scope="col" className="w-44 text-left font-medium">
              <span className="sr-only">Figure</span>
            </th>
            {[a, b].map(({ session }, i) => (
              <th
                // oxlint-disable-next-line react/no-array-index-key -- a session may be compared with itself
                key={i}
                scope="col"
                className="num truncate pl-3 font-medium"
              >
                <SafeText text={session.title || "Untitled session"} />
              </th>
            ))}
            <th scope="col" className="num w-48 pl-3 font-medium">
              Difference
            </th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((figure) => (
            <tr key={figure.label} className="h-7 border-b border-line hover:bg-sunk" title={figure.title}>
              <th scope="row" className="text-left font-normal whitespace-nowrap text-ink-2">
                {figure.label}
              </th>
              <FigureCell figure={figure} of={a} />
              <FigureCell figure={figure} of={b} />
              <td className="num pl-3 text-ink-2">{differenceWords(figure, a, b) ?? <Absent />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FigureCell({ figure, of }: { figure: Figure; of: Compared }) {
  const value = figure.of(of);
  const isEstimated = figure.isEstimated === true || of.ledger.unattributedShare === null;
  const words =
    value === null ? null : figure.isLowerBound?.(of) === true ? leastUsd(value, true) : figure.words(value);
  return (
    <td className="num pl-3">
      {words === null ? (
        <Absent />
      ) : (
        <>
          {isEstimated && value !== 0 && <span className="text-ink-3">~</span>}
          {words}
        </>
      )}
    </td>
  );
}
