"use client";
// The summary: each line with the events that it stands for, as plain text, or as the difference between the two contexts.
import type { ComponentProps, ReactNode } from "react";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EventLinks } from "../shared/event-links.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Segmented } from "../ui/segmented.tsx";
import { EXTRACTIVE, SUMMARY_VIEWS, type SummaryView } from "./compact-state.ts";
import { shownLine, summarySections, summaryTokens, type Part } from "./compact-view.ts";
import { formatCount } from "../ui/format.ts";
import type { SummaryLine } from "./edit-lines.ts";
import { SummaryEditor } from "./summary-editor.tsx";

const NAMES: Record<SummaryView, string> = { linked: "Linked", text: "Text", difference: "Difference", edit: "Edit" };

/** Beside the ledger; below it where there is no room, once there is a summary: it would be pushed away by the ledger. */
export const SummaryAside = ({ isThere = true, children }: { isThere?: boolean; children: ReactNode }) => (
  <aside
    className={`min-w-0 overflow-y-auto border-l border-line pt-4 pr-6 pb-6 pl-5 max-[1200px]:col-span-full max-[1200px]:overflow-visible max-[1200px]:border-t max-[1200px]:border-l-0 max-[1200px]:pl-6 max-md:px-4 ${isThere ? "" : "max-[1200px]:hidden"}`}
    aria-label="Summary"
  >
    {children}
  </aside>
);

type SummaryPanelProps = {
  answer: CompactAnswer;
  view: SummaryView;
  onView: (view: SummaryView) => void;
  onOpen: (seq: number) => void;
  /** Where the agent wrote a summary itself: shows it beside this one. */
  onOwn?: (() => void) | undefined;
  /** Of a dry run: what a hand has changed. */
  editing?: Pick<ComponentProps<typeof SummaryEditor>, "onEdit"> & { readonly lines: readonly SummaryLine[] | null };
};

export function SummaryPanel({ answer, view: wanted, onView, onOpen, onOwn, editing }: SummaryPanelProps) {
  const view = wanted === "edit" && editing === undefined ? "linked" : wanted;
  const views = SUMMARY_VIEWS.filter((one) => one !== "edit" || editing !== undefined);
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
          options={views.map((value) => ({ value, label: NAMES[value] }))}
          onPick={onView}
        />
      </div>
      <div className="mt-1 flex flex-wrap gap-1">
        <CopyButton text={() => firstMessage(answer.summary)}>Copy as first message</CopyButton>
        <Button small kind="quiet" onClick={() => saveFile(answer.summary, "summary.md")}>
          Export
        </Button>
        {onOwn !== undefined && (
          <Button small kind="quiet" onClick={onOwn}>
            Compare with agent's own
          </Button>
        )}
      </div>
      {view === "edit" && editing !== undefined && (
        <SummaryEditor answer={answer} edited={editing.lines} onEdit={editing.onEdit} />
      )}
      {view === "linked" && <LinkedLines answer={answer} onOpen={onOpen} />}
      {view === "text" && (
        <>
          <pre className="mono my-3 wrap-anywhere whitespace-pre-wrap text-ink-2">
            <SafeText text={answer.summary} badge />
          </pre>
          <CopyButton text={() => answer.summary}>Copy</CopyButton>
        </>
      )}
      {view === "difference" && <ContextDifference answer={answer} onOpen={onOpen} />}
    </>
  );
}

/** For another agent: what the summary is, before it. */
const firstMessage = (summary: string): string =>
  `This session continues an earlier one. Summary of the earlier session:\n\n${summary}`;

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
              <li
                key={i}
                className="grid grid-cols-[minmax(0,1fr)_auto] gap-3 border-b border-line py-[3px] wrap-anywhere hover:bg-sunk"
              >
                <span className="min-w-0">
                  <SafeText text={shownLine(line)} />
                </span>
                <span className="text-12 whitespace-nowrap">
                  {line.by === "person" && (
                    <span className="mr-2 text-ink-2" title="A person wrote or changed this line">
                      edited
                    </span>
                  )}
                  {line.seqs.length === 0 && (line.by === "person" || answer.summarizer === EXTRACTIVE) ? null : line
                      .seqs.length === 0 ? (
                    <span className="text-ink-3" title="No source events given">
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

/** Lines of each kind before the rest is a count. */
const SHOWN = 60;

type DifferenceProps = { answer: CompactAnswer; onOpen: (seq: number) => void };

function ContextDifference({ answer, onOpen }: DifferenceProps) {
  const out = [...answer.summarised, ...answer.dropped].toSorted((a, b) => a.seq - b.seq);
  const came = answer.snapshot.filter(({ change }) => change === "new");
  const stays = answer.snapshot.filter(({ change }) => change === "same");
  return (
    <div className="mt-3" data-testid="context-difference">
      {came.slice(0, SHOWN).map((message, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages of one answer never move
        <Line key={`new ${at}`} sign="+" of={message}>
          <span className="text-ink-3">{message.role}</span>
        </Line>
      ))}
      <More count={came.length - SHOWN} what="comes in" />
      {out.slice(0, SHOWN).map((part: Part) => (
        <Line key={part.seq} sign="−" of={{ ...part, origin: answer.origin }}>
          <EventLinks seqs={[part.seq]} onOpen={onOpen} />
        </Line>
      ))}
      <More count={out.length - SHOWN} what="removed" />
      {stays.slice(0, SHOWN).map((message, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- as above
        <Line key={`same ${at}`} of={message}>
          <EventLinks seqs={message.seqs.slice(0, 1)} onOpen={onOpen} />
        </Line>
      ))}
      <More count={stays.length - SHOWN} what="stays" />
    </div>
  );
}

const LINE = "grid grid-cols-[64px_minmax(0,1fr)_auto] gap-2 px-1.5 py-0.5 text-12/4.5 tabular-nums";
const SIGNED =
  "**:text-inherit before:col-start-1 before:row-start-1 before:w-2.5 before:content-[attr(data-sign)] *:first:col-start-1 *:first:row-start-1 *:first:pl-3.5";

type LineProps = {
  sign?: "+" | "−";
  of: { readonly label: string; readonly tokens: number; readonly origin: CompactAnswer["origin"] };
  /** Who or where it is. */
  children: ReactNode;
};

const Line = ({ sign, of, children }: LineProps) => (
  <p
    data-sign={sign}
    className={`${LINE} ${sign === undefined ? "" : SIGNED} ${sign === "+" ? "bg-diff-add text-diff-add-ink" : sign === "−" ? "bg-diff-del text-diff-del-ink" : ""}`}
  >
    {children}
    <span className="truncate">
      <SafeText text={of.label} />
    </span>
    <Num value={of.tokens} origin={of.origin} />
  </p>
);

const More = ({ count, what }: { count: number; what: string }) =>
  count > 0 ? <p className={`${LINE} text-ink-3`}>{`and ${formatCount(count, "more", "more")} that ${what}`}</p> : null;
