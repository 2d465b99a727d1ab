"use client";
// Asks the stored bytes: which artifact on the left, the program and what comes of it in the middle, what was asked before
// on the right. On narrow pages one of the three at a time.
import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { lazy, Suspense, useState, type ReactNode } from "react";
import type { PastRun, SavedProgram } from "#lib/wire/playground-schema.ts";
import { isReadable } from "../shared/artifact-header.tsx";
import { isJson, isJsonLines } from "../shared/content-kind.ts";
import { nameOf } from "../shared/copy-as.ts";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { ShapeExplorer } from "../shape/shape-explorer.tsx";
import { hasShape, shapeQuery } from "../shape/shape-query.ts";
import { CopyMenu } from "./copy-menu.tsx";
import { Instead, canRun } from "./instead.tsx";
import { JqDesk } from "./jq-desk.tsx";
import { PastRuns } from "./past-runs.tsx";
import { Picker } from "./picker.tsx";
import { InputChip } from "./program-bar.tsx";
import { useDesk } from "./use-desk.ts";
import { MOST, useInputs, type Inputs } from "./use-inputs.ts";
import { exampleOf, workOf } from "./work.ts";

const PasteLayer = lazy(() => import("./save-layers.tsx").then((module) => ({ default: module.PasteLayer })));
const SaveProgramLayer = lazy(() =>
  import("./save-layers.tsx").then((module) => ({ default: module.SaveProgramLayer })),
);

const GrepPanel = lazy(() => import("../grep/grep-panel.tsx").then((module) => ({ default: module.GrepPanel })));

const CheatLayer = lazy(() => import("./cheat-layer.tsx").then((module) => ({ default: module.CheatLayer })));

const MODES = ["jq", "grep"] as const;
const SIDES = ["program", "artifact", "history"] as const;
type Layer = "paste" | "program" | "cheat sheet";

export function PlaygroundPage() {
  const [{ mode, side }, setView] = useQueryStates({
    mode: parseAsStringLiteral(MODES).withDefault("jq"),
    side: parseAsStringLiteral(SIDES).withDefault("program"),
  });
  const [, setGrep] = useQueryStates({ pattern: parseAsString, grep: parseAsString });
  const inputs = useInputs();
  const desk = useDesk({ inputs: inputs.all, canAsk: mode === "jq" && canRun(inputs) });
  const [layer, setLayer] = useState<Layer | null>(null);
  const first = inputs.read[0]?.artifact;
  const shaped = first !== undefined && isReadable(first) && hasShape(first) ? first : undefined;
  const shape = useQuery({ ...shapeQuery(shaped ?? { pointer: "", digest: "" }), enabled: shaped !== undefined }).data;
  const show = (next: (typeof SIDES)[number]) => void setView({ side: next });
  const close = () => setLayer(null);
  const sides = [
    { value: "program", label: mode === "jq" ? "Program" : "Pattern" },
    { value: "artifact", label: "Artifact" },
    { value: "history", label: "History" },
  ] as const;

  const ask = ({ kind, program, options }: Pick<SavedProgram, "kind" | "program" | "options">) => {
    void setView({ mode: kind, side: null });
    if (kind === "jq") return desk.put(workOf(program, options));
    void setGrep({ pattern: program, grep: Array.isArray(options) && options.length > 0 ? options.join(" ") : null });
  };
  const askAgain = (run: PastRun) => {
    if (run.kind === "jq") inputs.again(run.artifacts, run.pasted > 0);
    else if (run.artifacts.length > 0) inputs.pickAll(run.artifacts);
    ask(run);
  };
  const pick = (pointer: string) => {
    inputs.pick(pointer);
    show("program");
  };
  return (
    <>
      <header className="flex min-h-13 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-6 py-2 max-md:px-4">
        <h1 className="text-15 font-semibold">Playground</h1>
        <Segmented
          label="Ask with"
          value={mode}
          options={MODES.map((value) => ({ value, label: value }))}
          onPick={(next) => void setView({ mode: next })}
        />
        <p className="text-12 text-ink-3 max-lg:hidden">Queries the stored bytes. The context does not change.</p>
        <span className="flex-1" />
        {mode === "jq" && (
          <>
            <Button kind="quiet" onClick={() => setLayer("cheat sheet")}>
              Cheat sheet
            </Button>
            <Button onClick={() => setLayer("program")}>Save program</Button>
            <CopyMenu desk={desk} />
          </>
        )}
      </header>
      <div className="flex-none border-b border-line px-6 py-1.5 max-md:px-4 xl:hidden">
        {/* On a wider page the artifacts stand there anyway. */}
        <span className="lg:hidden">
          <Segmented label="What is shown" value={side} options={sides} onPick={show} />
        </span>
        <span className="max-lg:hidden">
          <Segmented
            label="What is shown"
            value={side === "history" ? side : "program"}
            options={sides.filter(({ value }) => value !== "artifact")}
            onPick={show}
          />
        </span>
      </div>
      <div className="flex min-h-0 flex-1">
        <aside
          aria-label="What is asked"
          className={`min-h-0 flex-col overflow-y-auto border-line pt-3 lg:flex lg:w-78 lg:flex-none lg:border-r ${side === "artifact" ? "flex flex-1" : "hidden"}`}
        >
          <Picker
            artifact={first}
            isComing={first === undefined && inputs.read[0]?.failure === null}
            read={inputs.read.map(({ pointer }) => pointer)}
            onPick={pick}
            onAdd={inputs.read.length < MOST ? inputs.add : null}
          />
          {shaped && (
            <section aria-label="Shape" className="flex-none pt-3.5 pr-4 pb-4 pl-6 max-lg:pl-4 [&_h2]:text-15">
              <ShapeExplorer
                artifact={shaped}
                onPick={(path) => {
                  show("program");
                  desk.store.goTo(path);
                }}
              />
            </section>
          )}
        </aside>
        <div
          className={`min-h-0 min-w-0 flex-1 flex-col ${side === "program" ? "flex" : side === "artifact" ? "hidden lg:flex" : "hidden xl:flex"}`}
        >
          {mode === "grep" ? (
            <GrepDesk inputs={inputs} onPaste={() => setLayer("paste")} />
          ) : (
            <JqDesk
              desk={desk}
              inputs={<Chips inputs={inputs} onPaste={() => setLayer("paste")} onChoose={() => show("artifact")} />}
              shape={shape ?? null}
              artifact={first}
              instead={
                <Instead
                  inputs={inputs}
                  onPaste={() => setLayer("paste")}
                  onGrep={() => void setView({ mode: "grep" })}
                />
              }
            />
          )}
        </div>
        <aside
          aria-label="What was asked"
          className={`min-h-0 flex-col overflow-y-auto border-line pt-3 pb-4 xl:flex xl:w-68 xl:flex-none xl:border-l ${side === "history" ? "flex flex-1" : "hidden"}`}
        >
          <PastRuns onRun={askAgain} onProgram={ask} />
        </aside>
      </div>
      <Suspense>
        {layer === "paste" && <PasteLayer text={inputs.text} onUse={inputs.paste} onClose={close} />}
        {layer === "cheat sheet" && (
          <CheatLayer
            hasArtifact={first !== undefined}
            onPick={({ program, options, input }, withInput) => {
              if (withInput) inputs.sample(input);
              desk.put(exampleOf(program, options ?? {}));
            }}
            onClose={close}
          />
        )}
        {layer === "program" && (
          <SaveProgramLayer
            desk={desk}
            fits={first === undefined ? "any" : isJsonLines(first) ? "JSON lines" : "JSON"}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}

/** grep reads one text: the first artifact. */
function GrepDesk({ inputs, onPaste }: { inputs: Inputs; onPaste: () => void }) {
  const artifact = inputs.read[0]?.artifact;
  if (artifact === undefined || !isReadable(artifact))
    return <Instead inputs={inputs} onPaste={onPaste} onGrep={null} />;
  return (
    <Suspense fallback={<Loading rows={6} label="Loading grep" />}>
      <GrepPanel key={artifact.pointer} artifact={artifact} isFull />
    </Suspense>
  );
}

type ChipsProps = { inputs: Inputs; onPaste: () => void; onChoose: () => void };

function Chips({ inputs, onPaste, onChoose }: ChipsProps): ReactNode {
  const { read, text } = inputs;
  return (
    <>
      {read.length + (text === "" ? 0 : 1) === 0 && <span className="text-ink-3">No input</span>}
      {read.map(({ pointer, artifact, failure }) => (
        <InputChip
          key={pointer}
          name={artifact ? nameOf(artifact) : pointer.slice(0, 40)}
          hint={
            failure !== null
              ? "not found"
              : artifact
                ? isJson(artifact)
                  ? formatBytes(artifact.sizeBytes)
                  : "not JSON"
                : null
          }
          onRemove={() => inputs.drop(pointer)}
        />
      ))}
      {text !== "" && (
        <InputChip
          name="Pasted text"
          hint={`${formatBytes(text.length)}${inputs.isTextInAddress ? "" : ", not in the address"}`}
          onRemove={() => inputs.paste("")}
          onEdit={onPaste}
        />
      )}
      {read.length >= MOST && <span className="text-ink-3">{MOST} artifacts are the most</span>}
      <Button kind="quiet" small className="lg:hidden" onClick={onChoose}>
        Choose an artifact
      </Button>
      {text === "" && (
        <Button kind="quiet" small onClick={onPaste}>
          Paste text
        </Button>
      )}
    </>
  );
}
