"use client";
// Two sessions side by side, on one scale of tokens: what differs, and who was to blame in each.
import "./load.css";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { topOf } from "../chart/geometry.ts";
import { PageHead } from "../ui/page-head.tsx";
import { CompareSide } from "./compare-side.tsx";
import { FigureTable } from "./figure-table.tsx";
import { PickSession } from "./pick-session.tsx";
import { useCompared, type ComparedAnswers } from "./use-compared.ts";

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
            <section key={side} aria-label={name} className="min-w-0">
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

const scaleOf = ({ load }: ComparedAnswers): number =>
  load.view === null ? 1 : topOf(load.view.prompts, load.view.line);
