"use client";
// What came of a run, in one line: how much, of how much, in what time; what a model would pay for it; copy, download, keep.
import { Check, Copy, Download, LoaderCircle, Save, Square, X } from "lucide-react";
import { useState } from "react";
import { BYTES_PER_TOKEN } from "#lib/kernel/host.ts";
import type { JqRunEnd } from "#lib/wire/playground-schema.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { saveFile } from "../ui/save-file.ts";
import { fileNameOf } from "./download.ts";
import { titleOf } from "./failure-words.ts";
import type { RunState } from "./runner.ts";
import type { Desk } from "./use-desk.ts";

type ResultBarProps = { desk: Desk; run: RunState; onSave: () => void };

const SAID_MS = 1600;

export function ResultBar({ desk, run, onSave }: ResultBarProps) {
  const { end, phase, output } = run;
  const seesAll = useSeesAll();
  const canTake = output.text !== "" && !run.isOld;
  return (
    <div
      id="jq-result-bar"
      className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-y border-line px-5 py-1 text-12 text-ink-2 max-md:px-4"
    >
      <output aria-label="The run" aria-live="polite" className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
        <RunSummary run={run} />
      </output>
      <span className="flex-1" />
      <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
        {phase === "running" ? (
          <Button small kind="quiet" onClick={() => desk.runner.stop()}>
            <Square size={11} aria-hidden="true" />
            Stop
          </Button>
        ) : (
          end !== null &&
          end.outputBytes > 0 && (
            <span className="whitespace-nowrap text-ink-3">
              for a model <Num value={Math.ceil(end.outputBytes / BYTES_PER_TOKEN)} origin="estimated" /> tokens
            </span>
          )
        )}
        <Button
          small
          kind="quiet"
          aria-pressed={desk.hasStages}
          className="aria-pressed:bg-select aria-pressed:text-ink"
          onClick={() => desk.setStages(!desk.hasStages)}
        >
          Stages
        </Button>
        <Segmented
          label="The result as"
          value={desk.view}
          options={[
            { value: "json", label: "JSON" },
            { value: "table", label: "Table" },
            { value: "raw", label: "Raw" },
          ]}
          onPick={desk.setView}
        />
        <span className="inline-flex items-center">
          <CopyResult text={output.text} isCut={end?.isCut ?? false} disabled={!canTake} />
          <IconButton
            label={end?.isCut ? "Download what is shown" : "Download the result"}
            disabled={!canTake}
            onClick={() => saveFile(output.text, fileNameOf(desk.request()))}
          >
            <Download size={14} aria-hidden="true" />
          </IconButton>
          {seesAll && (
            <IconButton label="Save the result as an artifact" disabled={!canTake} onClick={onSave}>
              <Save size={14} aria-hidden="true" />
            </IconButton>
          )}
        </span>
      </span>
    </div>
  );
}

function RunSummary({ run: { phase, end, refusal, output, isOld } }: { run: RunState }) {
  if (phase === "running")
    return (
      <span className="after-150 inline-flex items-center gap-1.5">
        <LoaderCircle size={12} aria-hidden="true" className="motion-safe:animate-spin" />
        {isOld ? "Running" : `Running: ${formatBytes(output.text.length)} so far`}
      </span>
    );
  if (phase === "idle") return <span className="text-ink-3">No runs yet</span>;
  // Why it failed stands below, in words.
  if (refusal !== null || end === null) return <span>No result</span>;
  return (
    <>
      <span className="inline-flex items-center gap-1 text-ink">
        {end.ok ? <Check size={12} aria-hidden="true" /> : <X size={12} aria-hidden="true" />}
        <b className="font-medium">{end.failure === null ? formatCount(end.values, "value") : titleOf(end)}</b>
      </span>
      {end.inputValues !== null && (
        <span className="whitespace-nowrap">from {formatCount(end.inputValues, "value")}</span>
      )}
      <Time end={end} />
    </>
  );
}

function Time({ end: { ms, deadlineMs } }: { end: JqRunEnd }) {
  return (
    <>
      <span className="whitespace-nowrap text-ink-3">
        {formatTokens(Math.round(ms))} ms of {formatTokens(deadlineMs)}
      </span>
      <span aria-hidden="true" className="relative h-1 w-16 flex-none bg-line max-md:hidden">
        <i
          className="absolute inset-y-0 left-0 bg-ink-2"
          style={{ width: `${Math.min(100, Math.max(2, (ms / deadlineMs) * 100))}%` }}
        />
      </span>
    </>
  );
}

function CopyResult({ text, isCut, disabled }: { text: string; isCut: boolean; disabled: boolean }) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  const copy = async () => {
    const ended = await navigator.clipboard.writeText(text).then(
      () => "done" as const,
      () => "failed" as const,
    );
    setState(ended);
    setTimeout(() => setState("idle"), SAID_MS);
  };
  const label = isCut ? "Copy what is shown" : "Copy the result";
  return (
    <>
      <span aria-live="polite" className={state === "idle" ? "sr-only" : "px-1 text-12"}>
        {state === "done" ? "Copied" : state === "failed" ? "The browser did not let it" : ""}
      </span>
      <IconButton label={label} disabled={disabled} onClick={() => void copy()}>
        {state === "done" ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      </IconButton>
    </>
  );
}
