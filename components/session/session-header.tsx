"use client";
import { useQuery } from "@tanstack/react-query";
import { File, GitFork } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { Fragment, type ReactNode } from "react";
import type { Origin } from "#lib/wire/common.ts";
import type { SessionSummary } from "#lib/wire/sessions.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { formatBytes, formatCount, formatTokens, formatUsd } from "../ui/format.ts";
import { Gauge } from "../ui/gauge.tsx";
import { Menu } from "../ui/menu.tsx";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Tip } from "../ui/tip.tsx";
import { When } from "../ui/when.tsx";
import { childrenQuery } from "./queries.ts";
import { shownText } from "../ui/hidden-text.ts";

type HeaderProps = { session: SessionSummary; slim: boolean };

/** Slim over the transcript, tall over the chart: the title, whose session it is, and how full it is. */
export function SessionHeader({ session, slim }: HeaderProps) {
  const title = (
    <h1 className={`min-w-0 truncate font-semibold ${slim ? "text-15" : "text-20"}`}>
      <Link href="/" className="font-normal text-ink-3 hover:text-ink">
        Sessions
      </Link>
      <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
      {session.parentId !== null && (
        <>
          <Link
            href={`/sessions/${session.parentId}${at(session.parentToolCallSeq)}`}
            className="font-normal text-accent hover:underline"
          >
            parent
          </Link>
          <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
        </>
      )}
      <SafeText text={session.title || "Untitled session"} />
    </h1>
  );
  if (slim)
    return (
      <header className="flex h-11 flex-none items-center gap-3 px-6">
        {title}
        <span className="flex min-w-0 flex-none items-center gap-2 text-12 text-ink-3 max-lg:hidden">
          <span>{session.agent}</span>
          {session.model !== null && <SafeText text={session.model} />}
          {session.cwd !== null && <Folder path={session.cwd} />}
          <States session={session} />
        </span>
        <span className="flex-1" />
        <Quality session={session} />
        <SubAgents session={session} small />
      </header>
    );
  return (
    <header className="flex flex-none items-start gap-6 px-6 pt-3 pb-2 max-lg:flex-wrap max-lg:gap-2">
      <div className="min-w-0 flex-1">
        {title}
        <MetaLine session={session} />
      </div>
      <AtTheEnd session={session} />
      <SubAgents session={session} />
    </header>
  );
}

const at = (seq: number | null): string => (seq === null ? "" : `?event=${seq}`);
const lastTwo = (path: string): string => path.split(/[\\/]/u).filter(Boolean).slice(-2).join("/");

function MetaLine({ session }: { session: SessionSummary }) {
  const calls = session.modelCalls.own + session.modelCalls.inherited;
  const facts: { name: string; fact: ReactNode }[] = [
    { name: "agent", fact: <span className="text-ink-2">{session.agent}</span> },
    {
      name: "model",
      fact: session.model && (
        <span className="text-ink-2">
          <SafeText text={session.model} />
        </span>
      ),
    },
    { name: "folder", fact: session.cwd && <Folder path={session.cwd} /> },
    { name: "when", fact: <TimeSpan session={session} /> },
    { name: "turns", fact: formatCount(session.turns, "turn") },
    { name: "calls", fact: <Calls session={session} calls={calls} /> },
    { name: "cost", fact: session.cost.usd !== null && <Cost usd={session.cost.usd} origin={session.cost.origin} /> },
    { name: "source", fact: session.source && <SourceLink source={session.source} /> },
    { name: "quality", fact: session.quality.length > 0 && <Quality session={session} /> },
  ].filter(({ fact }) => fact !== null && fact !== false && fact !== "");
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-1.5 text-12 text-ink-3">
      {facts.map(({ name, fact }, i) => (
        <Fragment key={name}>
          {i > 0 && <i className="mx-0.5 size-[3px] flex-none rounded-full bg-line-strong" aria-hidden="true" />}
          <span className="flex items-center gap-1">{fact}</span>
        </Fragment>
      ))}
      <States session={session} />
    </div>
  );
}

function Folder({ path }: { path: string }) {
  return (
    <span className="text-ink-2" title={shownText(path)}>
      <SafeText text={lastTwo(path)} />
    </span>
  );
}

function Cost({ usd, origin }: { usd: number; origin: Origin }) {
  return (
    <span title={`${origin}, at the provider's list prices`}>
      {origin === "estimated" ? "~" : ""}
      {formatUsd(usd)}
    </span>
  );
}

function TimeSpan({ session }: { session: SessionSummary }) {
  return (
    <span>
      <When ts={session.startedAt} />
      {session.endedAt !== null && (
        <>
          –<When ts={session.endedAt} show={sameDay(session.startedAt, session.endedAt) ? "time" : "line"} />
        </>
      )}
    </span>
  );
}

const sameDay = (a: string | null, b: string): boolean =>
  a !== null && Math.abs(Date.parse(b) - Date.parse(a)) < 18 * 3_600_000;

function Calls({ session, calls }: { session: SessionSummary; calls: number }) {
  const { inherited } = session.modelCalls;
  return (
    <span
      title={
        inherited > 0 ? `${session.modelCalls.own} own, ${inherited} shared with the session it came from` : undefined
      }
    >
      {formatCount(calls, "call")}
      {inherited > 0 && `, ${inherited} inherited`}
    </span>
  );
}

function SourceLink({ source }: { source: NonNullable<SessionSummary["source"]> }) {
  const name = source.path.split(/[\\/]/u).at(-1) ?? source.path;
  return (
    <a
      className="link flex items-center gap-1"
      href={`/api/sources/raw?path=${encodeURIComponent(source.path)}`}
      download={shownText(name)}
      title={`${shownText(source.path)}: download it as it was read${source.gone ? ", from the kept bytes: the file is gone" : ""}`}
    >
      <File size={12} aria-hidden="true" />
      <span>
        <SafeText text={name.length > 40 ? `${name.slice(0, 18)}…${name.slice(-18)}` : name} />,{" "}
        {formatBytes(source.sizeBytes)}
      </span>
    </a>
  );
}

/** Notes on what the numbers of this session cannot say. */
function Quality({ session }: { session: SessionSummary }) {
  if (session.quality.length === 0) return null;
  return (
    <Tip
      text={
        <ul className="list-disc pl-3">
          {session.quality.map((note) => (
            <li key={note}>
              <SafeText text={note} />
            </li>
          ))}
        </ul>
      }
    >
      <button
        type="button"
        className="text-12 whitespace-nowrap text-accent hover:underline"
        aria-label={`Data quality: ${shownText(session.quality.join(" "))}`}
      >
        {formatCount(session.quality.length, "note")} on data quality
      </button>
    </Tip>
  );
}

function States({ session }: { session: SessionSummary }) {
  return (
    <>
      {session.status === "running" && <Badge tone="live">Running</Badge>}
      {session.status === "gone" && (
        <Badge title="Its source file is no longer there; what was read is kept">source gone</Badge>
      )}
      {session.demo && <Badge>demo</Badge>}
      {session.relation !== "root" && session.relation !== "" && <Badge>{session.relation}</Badge>}
    </>
  );
}

function AtTheEnd({ session }: { session: SessionSummary }) {
  const { tokens } = session.last;
  const line = session.peak.loadLine;
  if (tokens === null) return null;
  const words = `Now at the end ${formatTokens(tokens)}${line === null ? "" : ` of ${formatTokens(line)}`} tokens`;
  return (
    <div className="w-50 flex-none pt-1">
      <div className="mb-1.5 flex items-baseline justify-between text-12">
        <span className="text-ink-2">Now at the end</span>
        <span className="tabular-nums">
          <b className="font-medium">
            <Num value={tokens} origin={session.peak.origin} />
          </b>{" "}
          {line !== null && <span className="text-ink-3">of {formatTokens(line)}</span>}
        </span>
      </div>
      {line !== null && line > 0 && <Gauge share={tokens / line} label={words} width={200} />}
    </div>
  );
}

/** The sub-agents of a session, each with its title and its peak. */
function SubAgents({ session, small = false }: { session: SessionSummary; small?: boolean }) {
  const router = useRouter();
  const children = useQuery(childrenQuery(session.id, session.children > 0));
  if (session.children === 0) return null;
  const items = (children.data?.sessions ?? []).map((child) => ({
    id: child.id,
    label: <SafeText text={child.title || child.id} />,
    hint: child.peak.tokens === null ? undefined : formatTokens(child.peak.tokens, true),
    onPick: () => router.push(`/sessions/${child.id}`),
  }));
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
