"use client";
// The result as JSON, as a table, or as jq wrote it.
import { lazy, Suspense, useState } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { Loading } from "../ui/loading.tsx";
import { ResultLines } from "./json-result.tsx";
import { Provenance } from "./provenance.tsx";
import type { RunState } from "./runner.ts";
import type { Desk } from "./use-desk.ts";

const ResultTable = lazy(() => import("../table/result-table.tsx").then((module) => ({ default: module.ResultTable })));

type ResultsProps = { desk: Desk; run: RunState; artifact: ArtifactView | undefined };

export function Results({ desk, run, artifact }: ResultsProps) {
  const { output, isOld, end, phase } = run;
  const [chosen, setChosen] = useState<{ version: number; line: number } | null>(null);
  // Rows of an older run stay, paler, until the next has something to show.
  const pale = isOld && phase === "running" ? "opacity-60" : "";
  if (output.text === "")
    return <div className="min-h-0 flex-1">{phase === "ended" && end?.ok === true && <Nothing />}</div>;
  const isRaw = desk.asked().options.raw;
  if (desk.view === "table")
    return (
      <div className={`flex min-h-0 flex-1 flex-col ${pale}`} data-version={run.version} data-old={isOld}>
        <Suspense fallback={<Loading rows={6} label="Loading the table" />}>
          <WholeTable run={run} />
        </Suspense>
      </div>
    );
  return (
    <div className={`flex min-h-0 flex-1 flex-col ${pale}`} data-version={run.version} data-old={isOld}>
      <ResultLines
        output={output}
        hasColours={desk.view === "json" && !isRaw}
        chosen={chosen?.version === run.version ? chosen.line : null}
        onChoose={(line) => setChosen(line === null ? null : { version: run.version, line })}
      />
      {artifact !== undefined && chosen?.version === run.version && (
        <Provenance artifact={artifact} output={output} line={chosen.line} onClose={() => setChosen(null)} />
      )}
    </div>
  );
}

/** A table is made of a whole result: while pieces come, the one before stays. */
function WholeTable({ run }: { run: RunState }) {
  const now = { text: run.output.text, isCut: run.end?.isCut ?? false };
  const [whole, setWhole] = useState(now);
  const isWhole = run.phase === "ended" || run.isOld;
  if (isWhole && (whole.text !== now.text || whole.isCut !== now.isCut)) setWhole(now);
  return <ResultTable text={whole.text} isCut={whole.isCut} />;
}

function Nothing() {
  return (
    <p className="px-5 py-3 text-ink-3 max-md:px-4">
      The program ran and wrote nothing: no value passed it. <code className="mono">select</code> and{" "}
      <code className="mono">empty</code> leave values out.
    </p>
  );
}
