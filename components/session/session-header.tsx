"use client";
import { useQuery } from "@tanstack/react-query";
import { GitFork } from "lucide-react";
import { useRouter } from "next/navigation";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { buttonClass } from "../ui/button.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Gauge } from "../ui/gauge.tsx";
import { Menu } from "../ui/menu.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { foldedFamily } from "../shared/fork-rows.ts";
import { forksQuery } from "../shared/fork-queries.ts";
import { Marks } from "../shared/marks.tsx";
import { RestoreButton } from "../shared/restore-button.tsx";
import { childrenQuery } from "../shared/session-queries.ts";
import { ContinuationFacts, hasContinuations } from "./continuation-facts.tsx";
import { Quality, States } from "./session-marks.tsx";
import { EarlierVersions, Folder, MetaLine } from "./session-meta.tsx";
import { SessionTitle } from "./session-title.tsx";

type HeaderProps = { session: SessionSummary; slim: boolean };

/** Slim over the transcript, tall over the chart: the title, whose session it is, and how full it is. */
export function SessionHeader({ session, slim }: HeaderProps) {
  const title = <SessionTitle session={session} slim={slim} />;
  if (slim)
    return (
      <header className="flex min-h-11 flex-none items-center gap-x-3 gap-y-1 px-6 max-[900px]:-order-2 max-md:flex-wrap max-md:px-4 max-md:py-2">
        {title}
        <span className="flex min-w-0 flex-none items-center gap-2 text-12 text-ink-3 max-lg:hidden">
          <span>{session.agent}</span>
          {session.model !== null && (
            <span className="max-w-50 truncate" title={shownText(session.model)}>
              <SafeText text={session.model} />
            </span>
          )}
          {session.cwd !== null && <Folder path={session.cwd} />}
          <States session={session} />
          {hasContinuations(session) && <ContinuationFacts session={session} />}
        </span>
        <Marks id={session.id} seq={null} />
        <span className="flex-1" />
        {session.status === "gone" && (
          <span className="flex-none text-12">
            <RestoreButton id={session.id} />
          </span>
        )}
        {session.earlierVersions.length > 0 && (
          <span className="flex-none text-12">
            <EarlierVersions session={session} />
          </span>
        )}
        <Quality session={session} />
        <SubAgents session={session} small />
      </header>
    );
  return (
    // On a narrow screen the tabs come between the title and the rest, where they are on the other tabs.
    <header className="flex flex-none items-start gap-6 px-6 pt-3 pb-2 max-lg:flex-wrap max-lg:gap-2 max-[900px]:contents">
      <div className="min-w-0 flex-1 max-lg:basis-full max-[900px]:contents">
        <div className="flex min-w-0 items-center gap-x-2 gap-y-1 max-[900px]:-order-2 max-[900px]:min-h-11 max-[900px]:flex-none max-[900px]:px-6 max-md:flex-wrap max-md:px-4 max-md:py-2">
          {title}
          <States session={session} />
          <Marks id={session.id} seq={null} />
        </div>
        <div className="flex-none max-[900px]:px-6 max-[900px]:pt-2 max-md:px-4">
          <MetaLine session={session} />
        </div>
      </div>
      <div className="flex flex-none flex-wrap items-start gap-6 max-[900px]:gap-x-4 max-[900px]:gap-y-2 max-[900px]:px-6 max-[900px]:py-2 max-md:px-4">
        <AtTheEnd session={session} />
        <SubAgents session={session} />
      </div>
    </header>
  );
}

function AtTheEnd({ session }: { session: SessionSummary }) {
  const { tokens } = session.last;
  const line = session.peak.loadLine;
  if (tokens === null) return null;
  const words = `Final context ${formatTokens(tokens)}${line === null ? "" : ` of ${formatTokens(line)}`} tokens`;
  return (
    <div className="min-w-56 flex-none pt-1">
      <div className="mb-1.5 flex items-baseline justify-between gap-2 text-12 whitespace-nowrap">
        <span className="text-ink-2">Final context</span>
        <span className="tabular-nums">
          <b className="font-medium">
            <Num value={tokens} origin={session.peak.origin} />
          </b>{" "}
          {line !== null && <span className="text-ink-3">of {formatTokens(line)}</span>}
        </span>
      </div>
      {line !== null && line > 0 && <Gauge share={tokens / line} label={words} width={224} />}
    </div>
  );
}

/** The sub-agents of a session, each with its title and its peak. */
function SubAgents({ session, small = false }: { session: SessionSummary; small?: boolean }) {
  const router = useRouter();
  const children = useQuery(childrenQuery(session.id, session.children > 0));
  const forks = useQuery(forksQuery(session.id, session.children > 1));
  if (session.children === 0) return null;
  // Of identical forks one stands for all: the transcript and the list of sessions have each.
  const items = foldedFamily(children.data?.sessions ?? [], forks.data?.groups ?? [], []).map(
    ({ row: child, count }) => ({
      id: child.id,
      label: (
        <>
          {count > 1 && <b className="font-medium">{count} identical: </b>}
          <SafeText text={child.title || child.id} />
        </>
      ),
      hint: child.peak.tokens === null ? undefined : formatTokens(child.peak.tokens, true),
      onPick: () => router.push(`/sessions/${child.id}`),
    }),
  );
  return (
    <Menu
      label="Sub-agents of this session"
      align="end"
      triggerClass={buttonClass(small ? "quiet" : "plain", small)}
      trigger={
        <>
          <GitFork size={small ? 12 : 14} aria-hidden="true" />
          {formatCount(session.children, "sub-agent")}
        </>
      }
      items={items}
    />
  );
}
