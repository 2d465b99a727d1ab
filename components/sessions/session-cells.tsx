"use client";
// The cells of one session, a column each.
import { Star, StickyNote } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { beyondWords, inheritedWords, unpricedWords } from "#lib/kernel/load/cost-words.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { ARCHIVED_WORDS } from "../shared/archived-words.ts";
import { LoadCell, PeakCell } from "./load-cells.tsx";
import { oneLine, type CellProps, type RowView } from "./row-view.ts";
import { PredictedAndReal } from "../shared/predicted-and-real.tsx";
import { Badge } from "../ui/badge.tsx";
import { CostFigure } from "../ui/cost.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Hits, SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import type { ColumnId } from "./columns.ts";
import { markWords, projectName, sessionHref, snippetNearHit } from "./session-table-rows.ts";
import { Fold, Forks } from "./family-cells.tsx";
import { TopCell } from "./top-cell.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** The others are in the title of each. */
const SHOWN_LABELS = 3;

export const CELLS: Record<ColumnId, (props: CellProps) => ReactNode> = {
  session: TitleCell,
  active: ActiveCell,
  started: ({ session, view }) => <MomentCell ts={session.startedAt} view={view} />,
  turns: ({ session, view }) => (view.child === "no" ? formatTokens(session.turns) : ""),
  calls: CallsCell,
  load: LoadCell,
  peak: PeakCell,
  compactions: ({ session }) => <CountOrDash count={session.compactions} />,
  artifacts: ({ session }) => <CountOrDash count={session.artifacts} />,
  cost: CostCell,
  top: ({ session, view }) => <TopCell session={session} bold={view.child === "no"} oneLine={oneLine(view)} />,
};

/** All that its load is drawn over, as on its own page; sums and usage have its own alone, so the others are named. */
function CallsCell({ session, view }: CellProps) {
  const inherited = session.cost.inherited?.calls ?? 0;
  return (
    <span className={oneLine(view) ? "" : "leading-4"}>
      {formatTokens(session.calls)}
      {inherited > 0 && (
        <span
          className={besideClass(view)}
          title={`${formatTokens(session.calls - inherited)} own, ${formatTokens(inherited)} inherited`}
        >
          {view.isNarrow && ", "}
          {formatTokens(inherited)} inherited
        </span>
      )}
    </span>
  );
}

function CountOrDash({ count }: { count: number }) {
  return count === 0 ? <span className="text-ink-3">–</span> : formatTokens(count);
}

function TitleCell({ session, view }: CellProps) {
  const marked = view.marked === "" ? null : markWords(session.title, view.marked);
  return (
    <span className="flex items-center gap-2">
      <Choice session={session} view={view} />
      <Fold session={session} view={view} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          <Link
            prefetch={false}
            data-opens=""
            href={sessionHref(session, view.q)}
            className={`${view.isNarrow ? "line-clamp-2 whitespace-normal wrap-anywhere" : "truncate"} leading-[18px] ${view.child === "no" ? "font-medium" : ""} outline-none`}
          >
            {marked === null ? <SafeText text={session.title} badge /> : <Hits text={marked} />}
          </Link>
          {oneLine(view) && session.snippet !== null && !isMarkSeen(marked) && (
            <span className="min-w-0 flex-1 truncate text-12 text-ink-2">
              “<Hits text={snippetNearHit(session.snippet)} />”
            </span>
          )}
          {session.starred && <Star size={12} aria-label="Starred" className="flex-none fill-current" />}
          {session.labels.slice(0, SHOWN_LABELS).map((label) => (
            <Badge key={label} title={shownText(session.labels.join(", "))}>
              <SafeText text={label} />
            </Badge>
          ))}
          {session.note !== null && (
            <StickyNote size={12} aria-label={`Note: ${shownText(session.note)}`} className="flex-none text-ink-2" />
          )}
          {view.forks > 1 && <Forks session={session} view={view} />}
          {session.status === "running" && <Badge tone="live">Running</Badge>}
          {session.demo && <Badge title="By a scripted agent; its tokens are counted">demo</Badge>}
          {session.archived !== null && (
            <Badge tone="quiet" title={ARCHIVED_WORDS[session.archived]}>
              {session.archived}
            </Badge>
          )}
          {session.status === "gone" && (
            <Badge tone="quiet" title="Source file gone; its content is kept">
              file deleted
            </Badge>
          )}
        </span>
        {!oneLine(view) && (
          <span className="mt-px block truncate text-12 text-ink-3">
            {session.snippet !== null && !isMarkSeen(marked) ? (
              <>
                {session.parentId === null ? session.agent : "Sub-agent"}{" "}
                <span className="text-ink-2">
                  “<Hits text={snippetNearHit(session.snippet)} />”
                </span>
              </>
            ) : (
              <Meta session={session} />
            )}
          </span>
        )}
      </span>
    </span>
  );
}

// Characters of a title that its column has room for: a hit beyond them is told by the snippet.
const SEEN = 40;

function isMarkSeen(marked: string | null): boolean {
  return marked !== null && marked.indexOf("\u0002") < SEEN;
}

function Meta({ session }: { session: SessionRow }) {
  const parts: ReactNode[] = [session.agent];
  if (session.model !== null) parts.push(<SafeText key="model" text={session.model} />);
  if (session.cwd !== null) {
    parts.push(
      <span key="cwd" title={shownText(session.cwd)}>
        <SafeText text={projectName(session.cwd)} />
      </span>,
    );
  }
  // A search looks into sub-agents too, and lists them on their own.
  if (session.parentId !== null) parts.push("sub-agent");
  if (session.children > 0) parts.push(formatCount(session.children, "sub-agent"));
  const { continues, continuedIn } = session;
  if (continues !== null)
    parts.push(
      <span key="continues">
        continues{" "}
        <Link prefetch={false} href={`/sessions/${continues.id}`} className="hover:underline">
          <SafeText text={continues.title || continues.id} />
        </Link>{" "}
        <PredictedAndReal tokens={continues} />
      </span>,
    );
  if (continuedIn !== null)
    parts.push(
      <Link key="continued" prefetch={false} href={`/sessions/${continuedIn}`} className="hover:underline">
        continued in {continuedIn.slice(0, 10)}
      </Link>,
    );
  // eslint-disable-next-line react/no-array-index-key -- parts of one line, in a fixed order
  return parts.map((part, at) => <span key={at}>{at === 0 ? part : <> · {part}</>}</span>);
}

function Choice({ session, view }: CellProps) {
  return (
    <label className="-mr-1 -ml-0.5 grid h-6 w-5 flex-none place-items-center">
      <input
        type="checkbox"
        aria-label={`Select ${shownText(session.title)}`}
        checked={view.isChosen}
        onChange={({ nativeEvent }) => view.onChoose(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        className={`size-3.5 accent-ink group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100 ${view.isChosen || view.isChoosing ? "" : "opacity-0"}`}
      />
    </label>
  );
}

/** Of a running session: now, and below it for how long already. */
function ActiveCell({ session, view }: CellProps) {
  if (session.status !== "running") return <MomentCell ts={session.endedAt} view={view} />;
  if (oneLine(view)) return <span className="text-ink-2">now</span>;
  return (
    <span className="text-ink-2">
      <span className="block leading-[18px]">now</span>
      <span className="block text-12 text-ink-3" title="Since it started">
        <When ts={session.startedAt} show="ago" />
      </span>
    </span>
  );
}

function MomentCell({ ts, view }: { ts: string | null; view: RowView }) {
  return (
    <span className="text-ink-2">
      <When ts={ts} show={view.child !== "no" ? "time" : view.dense ? "day" : "two"} />
    </span>
  );
}

/** What stands beside a figure: below a narrow row on its line, else below it where a row has two. */
const besideClass = (view: RowView): string =>
  view.isNarrow ? "text-ink-3" : oneLine(view) ? "sr-only" : "block truncate text-12 text-ink-3";

function CostCell({ session: { cost }, view }: CellProps) {
  const beside = [inheritedWords(cost), beyondWords(cost), unpricedWords(cost)].filter(Boolean).join(", ");
  return (
    <span className={oneLine(view) ? "" : "leading-4"}>
      <CostFigure cost={cost} />{" "}
      {beside !== "" && (
        <span className={besideClass(view)} title={beside}>
          {beside}
        </span>
      )}
    </span>
  );
}
