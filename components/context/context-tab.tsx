"use client";
// The exact messages that a call at the cursor would see, as one provider takes them, and what changed since the call before.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { CONTEXT_FORMS, type ContextAnswer } from "#lib/wire/memory-schema.ts";
import type { LoadView } from "../shared/load-view.ts";
import { contextQueryOf } from "../shared/memory-queries.ts";
import { useDragged, useSession } from "../shared/session-context.tsx";
import { useContextState, useEventParam } from "../shared/url-state.ts";
import { useCursor } from "../shared/use-call-cursor.ts";
import { listPages } from "../shared/list-pages.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import {
  CHANGES,
  messageRows,
  FORM_NAMES,
  sumOf,
  type ChangeFilter,
  type MessageRow,
  hiddenOf,
  repairWords,
  requestWords,
} from "./context-view.ts";
import { messageColumns } from "./message-columns.tsx";
import { MessageDetail } from "./message-detail.tsx";
import { OtherRequests } from "./other-requests.tsx";
import { Payload } from "./payload.tsx";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Swatch } from "../ui/swatch.tsx";

type ContextTabProps = { view: LoadView; onOpen: (seq: number) => void };

export function ContextTab({ view, onOpen }: ContextTabProps) {
  const { id } = useSession();
  const [state, choose] = useContextState();
  const at = useAt(view);
  const plan = state.plan ?? undefined;
  const request = plan === undefined ? { at, as: state.as } : { as: state.as, plan };
  const context = useQuery(contextQueryOf(id, request));
  const answer = context.data;
  return (
    <div className="group/context flex min-h-0 flex-1 flex-col" data-pane={state.pane}>
      <div className="flex flex-none flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line px-6 pt-3 pb-2 max-md:px-4 [&>div:first-child]:flex-[1_1_420px]">
        {answer ? (
          <ContextSum answer={asReported(answer, view)} line={view.line} />
        ) : (
          // As wide as the sum and as high as it mostly is: what stands below it is not pushed.
          <div className="h-16 max-md:h-36" />
        )}
        <div className="flex flex-wrap items-center gap-2">
          {plan !== undefined && (
            <span className="flex items-center gap-2 text-12 text-ink-2" data-plan>
              Compacted context of this plan
              <Button small kind="quiet" onClick={() => void choose({ plan: null, change: "all" })}>
                Show original
              </Button>
            </span>
          )}
          <Segmented
            label="As sent, or in this provider's form"
            value={answer?.as ?? state.as}
            options={CONTEXT_FORMS.filter((form) => form !== "sent" || answer?.isSentKnown === true).map((value) => ({
              value,
              label: FORM_NAMES[value],
            }))}
            onPick={(as) => void choose({ as })}
          />
          <span className="hidden max-[1100px]:inline-flex">
            <Segmented
              label="What is shown"
              value={state.pane}
              options={[
                { value: "messages", label: "Messages" },
                { value: "payload", label: "Payload" },
              ]}
              onPick={(pane) => void choose({ pane })}
            />
          </span>
        </div>
      </div>
      {context.error && !context.isPlaceholderData ? (
        <div className="p-6">
          <RequestFailure error={context.error} title="The context could not be loaded" />
        </div>
      ) : answer === undefined ? (
        <div className="px-6 py-3 max-md:px-4">
          <Loading rows={8} label="Putting the context together" />
        </div>
      ) : answer.messages.length === 0 && answer.left.length === 0 ? (
        <div className="p-6">
          <Empty title="The context is empty here">
            This is before the first message. Move the cursor in the chart, or press ] for the next call.
          </Empty>
        </div>
      ) : (
        <div
          className={`grid min-h-0 flex-1 grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)] max-[1100px]:grid-cols-[minmax(0,1fr)] ${context.isPlaceholderData ? "opacity-60" : ""}`}
        >
          <Messages answer={answer} onOpen={onOpen} />
          <Payload session={id} query={request} answer={answer} />
        </div>
      )}
    </div>
  );
}

/** A file may give a call numbers that a tokenizer counted: no provider said them. */
const asReported = (answer: ContextAnswer, { calls }: LoadView): ContextAnswer =>
  calls.find(({ call }) => call === answer.call)?.origin === "reported" ? answer : { ...answer, reported: null };

/** The event that the reader stands on, or the call at the cursor of the chart; without either, the end. */
function useAt(view: LoadView): number | undefined {
  const [event] = useEventParam();
  const dragged = useDragged();
  const { index } = useCursor(view, "context");
  if (dragged === null && event !== null) return Math.max(1, event);
  return view.calls[dragged ?? index]?.seq;
}

const NAMES: Record<ChangeFilter, string> = { all: "All", new: "Entered", left: "Left" };

/** The same message in the context of another call: the events that it was made of. */
const keyOf = ({ message, index, change }: MessageRow): string =>
  `${change === "left" ? "left" : "here"} ${message.seqs.length === 0 ? index : message.seqs.join(" ")} ${message.role}`;

function Messages({ answer, onOpen }: { answer: ContextAnswer; onOpen: (seq: number) => void }) {
  const [{ change, plan }, choose] = useContextState();
  const rows = useMemo(() => messageRows(answer, change), [answer, change]);
  const most = useMemo(
    () => Math.max(1, ...answer.messages.map(({ tokens }) => tokens), ...answer.left.map(({ tokens }) => tokens)),
    [answer],
  );
  const [shown, setShown] = useState<string | null>(null);
  const chosen = rows.find((row) => keyOf(row) === shown) ?? null;
  const columns = useMemo(
    () => messageColumns({ most, onOpen, onShow: (row) => setShown(keyOf(row)), shown: chosen }),
    [most, onOpen, chosen],
  );
  const pages = useMemo(() => listPages<MessageRow>(rows, change), [rows, change]);
  const sums = useMemo(
    () => ({
      all: sumOf(answer.messages),
      new: sumOf(answer.messages.filter((message) => message.change === "new")),
      left: sumOf(answer.left),
    }),
    [answer],
  );
  return (
    <section
      className="flex min-h-0 min-w-0 flex-col max-[1100px]:group-data-[pane=payload]/context:hidden"
      aria-label="Messages"
    >
      <div className="flex flex-none flex-wrap items-center gap-1 px-6 py-2 max-md:px-4">
        {CHANGES.map((name) => (
          <Chip
            key={name}
            on={name === change}
            hint={
              <>
                {sums[name].count.toLocaleString("en-US")}
                {sums[name].count > 0 && (
                  <>
                    , <Num value={sums[name].tokens} origin={sums[name].origin} short />
                  </>
                )}
              </>
            }
            onClick={() => void choose({ change: name })}
          >
            {NAMES[name]}
          </Chip>
        ))}
        <span className="text-12 text-ink-3">
          {plan === null ? "against the call before" : "against the original context"}
        </span>
      </div>
      {rows.length === 0 ? (
        <p className="px-6 text-ink-3 max-md:px-4">
          {change === "new" ? "No messages were added." : "No messages were removed."}
        </p>
      ) : (
        <DataTable key={change} label="Messages of the context" columns={columns} pages={pages} rowHeight={28} />
      )}
      {chosen !== null && (
        <MessageDetail
          row={chosen}
          at={answer.at}
          as={answer.as}
          plan={plan}
          onOpen={onOpen}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}

// What the messages weigh, beside what the provider reported: the difference is what no log holds.
function ContextSum({ answer, line }: { answer: ContextAnswer; line: number | null }) {
  const hidden = hiddenOf(answer);
  const repaired = repairWords(answer.repair);
  return (
    <div className="min-w-0">
      <p className="text-15 text-ink-2" data-testid="context-sum">
        {answer.call === null
          ? `Context at event ${formatTokens(answer.at)}`
          : `Context sent with call ${formatTokens(answer.call)}`}
        {answer.request !== null && (
          <>
            , <SafeText text={requestWords(answer.request)} />
          </>
        )}
        : <Strong>{formatCount(answer.messages.length, "message")}</Strong>,{" "}
        <Strong>
          <Num value={answer.tokens} origin={answer.origin} />
        </Strong>{" "}
        tokens{answer.epoch > 1 && <>, epoch {answer.epoch}</>}.
      </p>
      {answer.reported !== null && hidden !== null ? (
        <p className="mt-0.5 text-12 text-ink-2 tabular-nums" data-testid="hidden-prefix">
          <Num value={answer.tokens} origin={answer.origin} />{" "}
          {answer.as === "sent" && hidden.prefix === 0 ? (
            "system prompt, tools and messages "
          ) : (
            <span>
              messages + <Swatch category="prefix" /> <Num value={hidden.prefix} origin="estimated" />{" "}
              {answer.isSentKnown ? "tools" : "hidden prefix (system prompt, tools, memory files)"}{" "}
            </span>
          )}
          {hidden.unattributed !== 0 && (
            <span>
              {hidden.unattributed < 0 ? "−" : "+"} <Swatch category="unattributed" />{" "}
              <Num value={Math.abs(hidden.unattributed)} origin="estimated" />{" "}
              {answer.isSentKnown ? "charged beyond the text that was sent" : "not explained by the log"}
            </span>
          )}{" "}
          = <b className="font-medium text-ink">{formatTokens(answer.reported)}</b> the provider reported
          {line !== null && line > 0 && <> ({formatPercent(answer.reported / line)} of the line)</>}
        </p>
      ) : (
        <p className="mt-0.5 text-12 text-ink-3">
          {answer.as === "sent"
            ? "The provider reported nothing for this request."
            : answer.messages.some(({ role }) => role === "system")
              ? "Not reported by the provider: tool schemas are not included."
              : "Not reported by the provider: system prompt and tool schemas are not included."}
        </p>
      )}
      {answer.whyNotSent !== null && (
        <p className="mt-0.5 text-12 text-ink-2" data-testid="why-not-sent">
          The request {answer.request === null && "of this call "}cannot be shown as sent. {answer.whyNotSent}
        </p>
      )}
      <OtherRequests at={answer.at} />
      {(answer.leftOut ?? []).map(({ what, why, count }) => (
        <p key={what + why} className="mt-0.5 text-12 text-ink-3" data-testid="left-out">
          {formatTokens(count)} × {what.replaceAll("_", " ")} not in this request: {why}
        </p>
      ))}
      {repaired.length > 0 && (
        <p className="mt-0.5 text-12 text-ink-2" data-testid="repair">
          Mended so that each tool call is followed by one result: {repaired.join(", ")}.
        </p>
      )}
    </div>
  );
}

const Strong = ({ children }: { children: ReactNode }) => <b className="font-semibold text-ink">{children}</b>;
