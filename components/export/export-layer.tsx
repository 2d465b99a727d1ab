"use client";
// A session as one file: which format, what is in it, what looks private in it, and the file.
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import {
  defaultOutputs,
  exportReview,
  hasOutputs,
  isReport,
  OUTPUTS,
  type ExportFormat,
  type ExportReview,
} from "#lib/wire/export-schema.ts";
import { ledgerQuery } from "../shared/session-queries.ts";
import { reach, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Segmented } from "../ui/segmented.tsx";
import { ExportEvents } from "./export-events.tsx";
import { ExportFindings } from "./export-findings.tsx";
import { ExportFormats } from "./export-formats.tsx";
import {
  decide,
  decideKind,
  firstState,
  isMasked,
  requestOf,
  reviewRequestOf,
  type ExportState,
} from "./export-state.ts";

const OUTPUT_WORDS = { short: "Beginning", seen: "As the model saw", whole: "Whole" } as const;

type LayerProps = { id: string; format: ExportFormat; onClose: () => void };

export function ExportLayer({ id, format, onClose }: LayerProps) {
  const [state, setState] = useState<ExportState>(() => firstState(format));
  const path = `/api/sessions/${encodeURIComponent(id)}/export`;
  const request = reviewRequestOf(state);
  const review = useQuery({
    queryKey: ["session", id, "export-review", request],
    queryFn: ({ signal }) => send("POST", `${path}/review`, exportReview, request, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const ledger = useQuery({ ...ledgerQuery(id), enabled: isReport(state.format) });
  const change = (patch: Partial<ExportState>) => setState((before) => ({ ...before, ...patch }));
  const isReady = review.data !== undefined && !review.isPlaceholderData && review.error === null;
  return (
    <Dialog open onClose={onClose} title="Export session" width={680}>
      <ExportFormats value={state.format} onPick={(picked) => change({ format: picked })} />
      {hasOutputs(state.format) && <TranscriptOptions state={state} onChange={change} />}
      {review.error !== null && (
        <div className="mt-3">
          <RequestFailure
            error={review.error}
            title="The export could not be reviewed"
            action={
              state.events === null ? undefined : (
                <Button onClick={() => change({ events: null })}>Use the top culprits</Button>
              )
            }
          />
        </div>
      )}
      {review.error === null && !isReady && (
        <div className="mt-3">
          <Loading rows={4} height={24} label="Looking for private data" />
        </div>
      )}
      {isReady && (
        <>
          {isReport(state.format) && (
            <Part title="Excerpts" note={`up to ${LIMITS.reportEvents} events`}>
              <ExportEvents ledger={ledger.data} review={review.data} onPick={(events) => change({ events })} />
            </Part>
          )}
          <Part title="Private data" note={countWords(review.data, state)}>
            <ExportFindings
              review={review.data}
              state={state}
              onDecide={(finding, masked) => setState((before) => decide(before, finding, masked))}
              onDecideKind={(kind, masked) =>
                setState((before) => decideKind(before, kind, masked, review.data.findings))
              }
            />
          </Part>
        </>
      )}
      <Footer path={path} state={state} review={isReady ? review.data : null} />
    </Dialog>
  );
}

function Part({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <>
      <h3 className="mt-4 mb-1 text-13 font-semibold">
        {title} <span className="font-normal text-ink-3">{note}</span>
      </h3>
      {children}
    </>
  );
}

type OptionsProps = { state: ExportState; onChange: (patch: Partial<ExportState>) => void };

function TranscriptOptions({ state, onChange }: OptionsProps) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2 text-13">
      <span className="flex items-center gap-2">
        <span aria-hidden="true" className="text-12 text-ink-3">
          Tool outputs
        </span>
        <Segmented
          label="Tool outputs"
          value={state.outputs ?? defaultOutputs(state.format)}
          options={OUTPUTS.map((value) => ({ value, label: OUTPUT_WORDS[value] }))}
          onPick={(outputs) => onChange({ outputs })}
        />
      </span>
      <label className="flex items-center gap-1.5">
        <input
          type="checkbox"
          checked={state.agents}
          onChange={(event) => onChange({ agents: event.target.checked })}
          className="size-3.5 flex-none accent-ink"
        />
        Include sub-agents
      </label>
    </div>
  );
}

function countWords({ findings }: ExportReview, state: ExportState): string {
  const masked = findings.filter((finding) => isMasked(state, finding)).length;
  return findings.length === 0 ? "" : `${masked} of ${findings.length} masked`;
}

type FooterProps = { path: string; state: ExportState; review: ExportReview | null };

function Footer({ path, state, review }: FooterProps) {
  const written = useMutation({
    mutationFn: async (use: (response: Response) => Promise<void>) => {
      await use(
        await reach(path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(requestOf(state)),
        }),
      );
    },
  });
  const isDisabled = review === null || written.isPending;
  const why = review === null ? "The review is not ready" : undefined;
  return (
    <>
      {written.error !== null && (
        <div className="mt-3">
          <RequestFailure error={written.error} title="The session was not exported" />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        <span className="min-w-48 flex-1 text-12 text-ink-3">{review === null ? "" : noteOf(state, review)}</span>
        {(state.format === "markdown" || state.format === "report-markdown") && (
          <Button
            disabled={isDisabled}
            title={why}
            onClick={() => written.mutate(async (response) => navigator.clipboard.writeText(await response.text()))}
          >
            Copy Markdown
          </Button>
        )}
        <Button
          kind="primary"
          disabled={isDisabled}
          title={why}
          onClick={() => written.mutate(async (response) => saveFile(await response.blob(), fileNameOf(response)))}
        >
          {written.isPending ? "Exporting…" : "Download"}
        </Button>
      </div>
    </>
  );
}

/** Size, and what a reader of the file should know. */
function noteOf(state: ExportState, { sizeBytes, findings }: ExportReview): string {
  const size = `${formatBytes(sizeBytes)}${state.format === "bundle" ? " unpacked" : ""}.`;
  const isExact = state.format === "bundle" || state.format === "jsonl";
  if (isExact && findings.some((finding) => isMasked(state, finding)))
    return `${size} Masked: its bytes differ from the original.`;
  return `${size} ${isExact ? "An exact copy." : "Known forms only: read it before you send it."}`;
}

function fileNameOf(response: Response): string {
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return name ?? "session";
}
