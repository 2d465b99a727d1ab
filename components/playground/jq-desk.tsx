"use client";
// Editor, run and result, one under the other: the middle of the page, and the panel of an artifact.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState, useSyncExternalStore, type ReactNode } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { filterOf } from "#lib/kernel/jq/extend-program.ts";
import { monacoQuery } from "../shared/monaco.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { JqEditor } from "./jq-editor.tsx";
import type { Known } from "./language/register.ts";
import { pickAt, picksOf } from "./pick-at.ts";
import { ProgramBar } from "./program-bar.tsx";
import { ResultBar } from "./result-bar.tsx";
import { RunNotes } from "./run-note.tsx";
import { IDLE, type RunState } from "./runner.ts";
import type { Desk } from "./use-desk.ts";
import { StagesPanel } from "./stages-panel.tsx";
import { useAdded, useWork, type WorkStore } from "./work-store.ts";
import { ResultLines } from "./json-result.tsx";
import { Provenance } from "./provenance.tsx";
import { cellFilter, literalsOf, rowsOf } from "./table-filters.ts";
import { scalarsAround, valueOf } from "./value-positions.ts";

const SaveResultLayer = lazy(() => import("./save-layers.tsx").then((module) => ({ default: module.SaveResultLayer })));

type JqDeskProps = {
  desk: Desk;
  /** Chips of what is read. */
  inputs: ReactNode;
  shape: Known["shape"];
  /** The first input: where values come from is looked up in it. */
  artifact: ArtifactView | undefined;
  /** In the place of results, when nothing can be asked. */
  instead: ReactNode;
  /** Beside a failure of the inputs: another way to ask. */
  otherWay?: ReactNode;
  isCompact?: boolean;
};

export function JqDesk({ desk, inputs, shape, artifact, instead, otherWay, isCompact = false }: JqDeskProps) {
  const { store, runner } = desk;
  const run = useSyncExternalStore(runner.subscribe, runner.get, () => IDLE);
  const monaco = useQuery(monacoQuery);
  const [isSaving, setSaving] = useState(false);
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      {
        keys: "mod+enter",
        label: "Run and add to history",
        group: "Playground",
        inFields: true,
        run: desk.runNow,
      },
      { keys: "e", label: "Edit the program", group: "Playground", run: focusEditor },
    ],
    [desk.runNow],
  );
  useShortcuts(shortcuts);
  return (
    <>
      <ProgramBar store={store}>{inputs}</ProgramBar>
      {monaco.data ? (
        <JqEditor monaco={monaco.data} desk={desk} shape={shape} isCompact={isCompact} onLeave={leaveEditor} />
      ) : monaco.error ? (
        <PlainEditor store={store} />
      ) : (
        <div className={`${isCompact ? "h-17" : "h-39"} flex-none px-5`}>
          <Loading rows={isCompact ? 2 : 5} height={28} label="Loading the editor" />
        </div>
      )}
      {desk.notInAddress !== null && (
        <p role="alert" className="flex-none border-t border-line px-5 py-1.5 text-12 max-md:px-4">
          <SafeText text={desk.notInAddress} />
        </p>
      )}
      <ResultBar desk={desk} run={run} onSave={() => setSaving(true)} />
      {run.phase === "idle" ? (
        <div className="min-h-0 flex-1 overflow-y-auto">{instead}</div>
      ) : (
        <Results desk={desk} run={run} artifact={artifact} />
      )}
      {/* Below the result: what comes and goes at every key does not push it. The line above says in a word what it is. */}
      <div className="max-h-1/2 min-h-0 flex-initial overflow-y-auto">
        <AddedNote store={store} />
        <RunNotes desk={desk} run={run} shape={shape} action={otherWay} />
        {desk.hasStages && run.request !== null && <StagesPanel request={run.request} />}
      </div>
      {isSaving && (
        <Suspense>
          <SaveResultLayer desk={desk} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  );
}

const focusEditor = () => document.querySelector<HTMLElement>("#jq-editor textarea")?.focus();

/** What a click wrote, and the way back. Undo in the editor does the same. */
function AddedNote({ store }: { store: WorkStore }) {
  const added = useAdded(store);
  if (added === null) return null;
  return (
    <output
      aria-label="Added"
      className="flex items-baseline gap-3 border-t border-line px-5 py-1.5 text-12 text-ink-2 max-md:px-4"
    >
      <span className="min-w-0 truncate">
        Added{" "}
        <code className="mono text-ink">
          <SafeText text={added.text.slice(0, 300)} />
        </code>
      </span>
      <button type="button" className="link flex-none" onClick={store.undo}>
        Undo
      </button>
    </output>
  );
}

/** On to what came of it. */
const leaveEditor = () => document.querySelector<HTMLElement>("#jq-result-bar [aria-pressed=true]")?.focus();

/** When the editor cannot be loaded: everything but its colours and suggestions. */
function PlainEditor({ store }: { store: WorkStore }) {
  const { program } = useWork(store);
  return (
    <div id="jq-editor" className="flex-none px-5 py-2">
      <p className="text-12 text-ink-3">The editor could not be loaded; this is a plain field. Reload to try again.</p>
      <textarea
        aria-label="jq program"
        rows={5}
        value={program}
        spellCheck={false}
        onChange={(event) => store.set({ program: event.target.value })}
        className="mono w-full rounded-2 border border-line-strong bg-raised p-2"
      />
    </div>
  );
}

// The result as JSON, as a table, or as jq wrote it.
const ResultTable = lazy(() => import("../table/result-table.tsx").then((module) => ({ default: module.ResultTable })));

type ResultsProps = { desk: Desk; run: RunState; artifact: ArtifactView | undefined };

function Results({ desk, run, artifact }: ResultsProps) {
  const { output, isOld, end, phase } = run;
  const [chosen, setChosen] = useState<{ version: number; line: number } | null>(null);
  // Rows of an older run stay, paler, until the next has something to show.
  const pale = isOld && phase === "running" ? "opacity-60" : "";
  if (output.text === "")
    return <div className="min-h-0 flex-1">{phase === "ended" && end?.ok === true && <Nothing />}</div>;
  const isRaw = desk.request().options.raw;
  // A result of another program has other paths.
  const canPick = desk.view === "json" && !isRaw && !isOld;
  const pick = (line: number, column: number) => {
    const picked = pickAt(output, line, column);
    if (picked !== null) desk.store.extend(filterOf(picked));
  };
  if (desk.view === "table")
    return (
      <div className={`flex min-h-0 flex-1 flex-col ${pale}`} data-version={run.version} data-old={isOld}>
        <Suspense fallback={<Loading rows={6} label="Loading the table" />}>
          <WholeTable desk={desk} run={run} artifact={artifact} />
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
        onPick={canPick ? pick : null}
      />
      {artifact !== undefined && chosen?.version === run.version && (
        <Provenance
          artifact={artifact}
          name={`Line ${formatTokens(chosen.line + 1)}`}
          wanted={valueOf(output.lineAt(chosen.line).text)}
          around={scalarsAround(output, chosen.line)}
          onClose={() => setChosen(null)}
        >
          {canPick && <Filters filters={picksOf(output, chosen.line).map(filterOf)} store={desk.store} />}
        </Provenance>
      )}
    </div>
  );
}

/** What a click on the key and on the value of a line writes. */
function Filters({ filters, store }: { filters: readonly string[]; store: WorkStore }) {
  return filters.map((filter) => (
    <button key={filter} type="button" className="link mono" onClick={() => store.extend(filter)}>
      <SafeText text={filter.slice(0, 120)} />
    </button>
  ));
}

/** A table is made of a whole result: while pieces come, the one before stays. */
function WholeTable({ desk, run, artifact }: ResultsProps) {
  const now = { text: run.output.text, isCut: run.end?.isCut ?? false };
  const [whole, setWhole] = useState(now);
  const isWhole = run.phase === "ended" || run.isOld;
  if (isWhole && (whole.text !== now.text || whole.isCut !== now.isCut)) setWhole(now);
  const { store } = desk;
  const canPick = !run.isOld && run.phase === "ended" && !desk.request().options.raw;
  const rows = rowsOf(whole.text, run.end?.values ?? 0);
  const add = (filter: string | null) => filter !== null && store.extend(filter);
  return (
    <ResultTable
      text={whole.text}
      isCut={whole.isCut}
      asks={canPick ? { onCell: (name, cell) => add(cellFilter(rows, name, cell)) } : undefined}
      renderBelow={(row, fields) => {
        const literals = literalsOf(fields);
        const filters = fields.map(({ name, text, kind }) => cellFilter(rows, name, { text, kind, isCut: false }));
        return (
          <>
            {canPick && (
              <p className="flex max-h-16 flex-none flex-wrap gap-x-3 overflow-y-auto px-6 py-1 text-12 max-md:px-4">
                <Filters filters={[...new Set(filters)].filter((one) => one !== null)} store={store} />
              </p>
            )}
            {artifact !== undefined && (
              <Provenance
                artifact={artifact}
                name={`Row ${formatTokens(row + 1)}`}
                wanted={literals[0] ?? null}
                around={literals}
              />
            )}
          </>
        );
      }}
    />
  );
}

function Nothing() {
  return (
    <p className="px-5 py-3 text-ink-3 max-md:px-4">
      The program ran and wrote nothing: no value passed it. <code className="mono">select</code> and{" "}
      <code className="mono">empty</code> leave values out.
    </p>
  );
}
