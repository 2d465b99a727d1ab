"use client";
// A report to hand on: what is in it, what looks private in it, and the file.
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { REPORT_FORMATS, REPORT_MASKS, reportReview, type ReportReview } from "#lib/wire/report-schema.ts";
import { reach, send } from "../ui/api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Segmented } from "../ui/segmented.tsx";
import { ShareEvents } from "./share-events.tsx";
import { ShareFindings } from "./share-findings.tsx";
import { decide, FIRST_STATE, isMasked, requestOf, type ShareState } from "./share-state.ts";

const FORMATS = { html: "Page (HTML)", markdown: "Markdown" } as const;
const MASKS = { secrets: "Secrets", all: "All findings", none: "Nothing" } as const;
const ENDINGS = { html: "html", markdown: "md" } as const;

type LayerProps = { ledger: LedgerAnswer; onClose: () => void };

export function ShareLayer({ ledger, onClose }: LayerProps) {
  const [state, setState] = useState<ShareState>(FIRST_STATE);
  const path = `/api/sessions/${encodeURIComponent(ledger.sessionId)}/report`;
  const review = useQuery({
    queryKey: ["session", ledger.sessionId, "report-review", state.events],
    queryFn: ({ signal }) =>
      send("POST", `${path}/review`, reportReview, state.events === null ? {} : { events: state.events }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const change = (patch: Partial<ShareState>) => setState((before) => ({ ...before, ...patch }));
  return (
    <Dialog open onClose={onClose} title="Share a report" width={640}>
      <p className="text-13 text-ink-2">
        One file that opens without Plimsoll: verdict, chart, culprits, excerpts. It runs no script and loads nothing.
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2">
        <Choice label="Format">
          <Segmented
            label="Format"
            value={state.format}
            options={REPORT_FORMATS.map((value) => ({ value, label: FORMATS[value] }))}
            onPick={(format) => change({ format })}
          />
        </Choice>
        <Choice label="Mask">
          <Segmented
            label="Mask"
            value={state.mask}
            options={REPORT_MASKS.map((value) => ({ value, label: MASKS[value] }))}
            onPick={(mask) => change({ mask, singly: new Map() })}
          />
        </Choice>
      </div>
      {review.error !== null && (
        <div className="mt-3">
          <RequestFailure
            error={review.error}
            title="The report could not be reviewed"
            action={<Button onClick={() => change({ events: null })}>Use the top culprits</Button>}
          />
        </div>
      )}
      {review.data === undefined ? (
        review.error === null && (
          <div className="mt-3">
            <Loading rows={5} height={24} label="Looking for private data" />
          </div>
        )
      ) : (
        <>
          <h3 className="mt-4 mb-1 text-13 font-semibold">
            Excerpts <span className="font-normal text-ink-3">up to {LIMITS.reportEvents} events</span>
          </h3>
          <ShareEvents ledger={ledger} review={review.data} onPick={(events) => change({ events })} />
          <h3 className="mt-4 mb-1 text-13 font-semibold">
            Private data <span className="font-normal text-ink-3">{countWords(review.data, state)}</span>
          </h3>
          <ShareFindings
            review={review.data}
            state={state}
            onDecide={(id, masked) => setState((before) => decide(before, id, masked))}
          />
        </>
      )}
      <Footer
        path={path}
        name={`${ledger.sessionId}.report.${ENDINGS[state.format]}`}
        state={state}
        isReady={review.data !== undefined && !review.isPlaceholderData && review.error === null}
      />
    </Dialog>
  );
}

const Choice = ({ label, children }: { label: string; children: ReactNode }) => (
  <span className="flex items-center gap-2">
    <span aria-hidden="true" className="text-12 text-ink-3">
      {label}
    </span>
    {children}
  </span>
);

function countWords({ findings }: ReportReview, state: ShareState): string {
  const masked = findings.filter((finding) => isMasked(state, finding)).length;
  return findings.length === 0 ? "" : `${masked} of ${findings.length} masked`;
}

type FooterProps = { path: string; name: string; state: ShareState; isReady: boolean };

function Footer({ path, name, state, isReady }: FooterProps) {
  const written = useMutation({
    mutationFn: async (use: (text: string) => Promise<void> | void) => {
      const response = await reach(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(requestOf(state)),
      });
      await use(await response.text());
    },
  });
  const why = isReady ? undefined : "The review is not ready";
  return (
    <>
      {written.error !== null && (
        <div className="mt-3">
          <RequestFailure error={written.error} title="The report was not written" />
        </div>
      )}
      <div className="mt-4 flex flex-wrap items-center justify-end gap-2">
        <span className="min-w-48 flex-1 text-12 text-ink-3">
          Known forms only: read the report before you send it.
        </span>
        {state.format === "markdown" && (
          <Button
            disabled={!isReady || written.isPending}
            title={why}
            onClick={() => written.mutate((text) => navigator.clipboard.writeText(text))}
          >
            Copy Markdown
          </Button>
        )}
        <Button
          kind="primary"
          disabled={!isReady || written.isPending}
          title={why}
          onClick={() => written.mutate((text) => saveFile(text, name))}
        >
          Download report
        </Button>
      </div>
    </>
  );
}
