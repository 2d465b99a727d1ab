"use client";
// The summary: each line with the events that it stands for, as plain text, or as the difference between the two contexts.
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { EventLinks } from "../shared/event-links.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { EXTRACTIVE, SUMMARY_VIEWS, type SummaryView } from "./compact-state.ts";
import { shownLine, summarySections, summaryTokens } from "./compact-view.ts";
import { ContextDifference } from "./context-difference.tsx";

const NAMES: Record<SummaryView, string> = { linked: "Linked", text: "Text", difference: "Difference" };

type SummaryPanelProps = {
  answer: CompactAnswer;
  view: SummaryView;
  onView: (view: SummaryView) => void;
  onOpen: (seq: number) => void;
};

export function SummaryPanel({ answer, view, onView, onOpen }: SummaryPanelProps) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-15 font-semibold">Summary</h2>
        <span className="flex-1 text-12 text-ink-3">
          <Num value={summaryTokens(answer)} origin="estimated" /> tokens
        </span>
        <Segmented
          label="How the summary is shown"
          value={view}
          options={SUMMARY_VIEWS.map((value) => ({ value, label: NAMES[value] }))}
          onPick={onView}
        />
      </div>
      {view === "linked" && <LinkedLines answer={answer} onOpen={onOpen} />}
      {view === "text" && (
        <>
          <pre className="summary-text">
            <SafeText text={answer.summary} badge />
          </pre>
          <CopyButton text={() => answer.summary}>Copy</CopyButton>
        </>
      )}
      {view === "difference" && <ContextDifference answer={answer} onOpen={onOpen} />}
    </>
  );
}

/** On hover a link says what its event is; a line without events says that nothing stands behind it. */
export function LinkedLines({ answer, onOpen }: Pick<SummaryPanelProps, "answer" | "onOpen">) {
  const names = namesOf(answer);
  const nameOf = (seq: number) => names.get(seq);
  return (
    <div data-testid="summary-lines">
      {summarySections(answer.lines).map((section, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- sections of one answer never move, and two may have one heading
        <section key={at} className="mt-3">
          {section.heading !== null && (
            <h3 className="text-12 font-semibold text-ink-2">
              <SafeText text={section.heading} />
            </h3>
          )}
          <ul>
            {section.lines.map((line, i) => (
              // oxlint-disable-next-line react/no-array-index-key -- as above
              <li key={i} className="summary-line">
                <span className="min-w-0">
                  <SafeText text={shownLine(line)} />
                </span>
                <span className="text-12 whitespace-nowrap">
                  {line.seqs.length === 0 && answer.summarizer === EXTRACTIVE ? null : line.seqs.length === 0 ? (
                    <span className="text-ink-3" title="Whoever wrote it did not say where it is from">
                      not linked
                    </span>
                  ) : (
                    <EventLinks seqs={line.seqs} onOpen={onOpen} most={2} nameOf={nameOf} />
                  )}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const namesOf = ({ whole, summarised, dropped }: CompactAnswer): ReadonlyMap<number, string> =>
  new Map([...whole, ...summarised, ...dropped].map(({ seq, label, tokens }) => [seq, `${label} (${tokens} tokens)`]));
