"use client";
// The line under a session's title: whose it is, when, how much, and where its records are.
import { Download, File } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { RestoreButton } from "../shared/restore-button.tsx";
import { useSeesAll } from "../ui/access-context.ts";
import { CostLine } from "../ui/cost.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { fetched } from "../ui/fetched.tsx";
import { Menu } from "../ui/menu.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { ContinuationFacts, hasContinuations } from "./continuation-facts.tsx";
import { GitFacts, hasGit, useGit } from "./git-facts.tsx";
import { Quality } from "./session-marks.tsx";

const ExportLayer = fetched(() => import("../export/export-layer.tsx").then((module) => module.ExportLayer));
const VersionsLayer = fetched(() => import("./versions-layer.tsx").then((module) => module.VersionsLayer));

export function MetaLine({ session }: { session: SessionSummary }) {
  const git = useGit(session.id);
  const seesAll = useSeesAll();
  const calls = session.modelCalls.own + session.modelCalls.inherited;
  const facts: { name: string; fact: ReactNode }[] = [
    { name: "agent", fact: <span className="text-ink-2">{session.agent}</span> },
    {
      name: "model",
      fact: session.model && (
        <span className="max-w-75 truncate text-ink-2" title={shownText(session.model)}>
          <SafeText text={session.model} />
        </span>
      ),
    },
    { name: "folder", fact: session.cwd && <Folder path={session.cwd} /> },
    { name: "git", fact: hasGit(git) && <GitFacts id={session.id} git={git} /> },
    { name: "when", fact: <TimeSpan session={session} /> },
    { name: "turns", fact: formatCount(session.turns, "turn") },
    { name: "calls", fact: <Calls session={session} calls={calls} /> },
    {
      name: "cost",
      fact: session.cost.calls + (session.cost.inherited?.calls ?? 0) > 0 && <CostLine cost={session.cost} />,
    },
    { name: "source", fact: session.source && <SourceLink source={session.source} /> },
    { name: "export", fact: <ExportButton id={session.id} /> },
    { name: "restore", fact: session.source && seesAll && <RestoreButton id={session.id} /> },
    { name: "lineage", fact: hasLineage(session) && <Lineage session={session} /> },
    { name: "continuation", fact: hasContinuations(session) && <ContinuationFacts session={session} /> },
    { name: "versions", fact: session.earlierVersions.length > 0 && <EarlierVersions session={session} /> },
    { name: "quality", fact: session.quality.length > 0 && <Quality session={session} /> },
  ].filter(({ fact }) => fact !== null && fact !== false && fact !== "");
  return (
    // Each brings the dot before it, and the first of a line has its dot cut off.
    <div className="mt-1 text-12 text-ink-3 [clip-path:inset(-4px_-4px_-4px_0)]">
      <div className="-ml-4 flex flex-wrap items-center">
        {facts.map(({ name, fact }) => (
          <span key={name} className={`flex items-center ${ACTIONS.has(name) ? "print:hidden" : ""}`}>
            <i className="mx-[6.5px] size-[3px] flex-none rounded-full bg-line-strong" aria-hidden="true" />
            <span className="flex items-center gap-1">{fact}</span>
          </span>
        ))}
      </div>
    </div>
  );
}

/** What somebody can do, which paper cannot. */
const ACTIONS = new Set(["export", "restore"]);

const lastTwo = (path: string): string => path.split(/[\\/]/u).filter(Boolean).slice(-2).join("/");

const hasLineage = (session: SessionSummary): boolean => session.lineage.some(isShared);

const isShared = ({ relation }: SessionSummary["lineage"][number]): boolean => ["origin", "copy"].includes(relation);

export function Folder({ path }: { path: string }) {
  return (
    <span className="inline-block max-w-75 min-w-0 truncate align-bottom text-ink-2" title={shownText(path)}>
      <SafeText text={lastTwo(path)} />
    </span>
  );
}

function TimeSpan({ session }: { session: SessionSummary }) {
  if (session.startedAt === null && session.endedAt === null)
    return <span title="No record of its file has a time">no date</span>;
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
  const seesAll = useSeesAll();
  const name = source.path.split(/[\\/]/u).at(-1) ?? source.path;
  const shown = (
    <>
      <File size={12} aria-hidden="true" />
      <span>
        <SafeText text={name.length > 40 ? `${name.slice(0, 18)}…${name.slice(-18)}` : name} />,{" "}
        {formatBytes(source.sizeBytes)}
      </span>
    </>
  );
  // A node's files are of all projects.
  if (!seesAll)
    return (
      <span className="flex items-center gap-1" title={shownText(source.path)}>
        {shown}
      </span>
    );
  return (
    <a
      className="link flex items-center gap-1"
      href={`/api/sources/raw?path=${encodeURIComponent(source.path)}`}
      download={shownText(name)}
      title={`${shownText(source.path)}: download it unchanged${source.gone ? ", stored copy; the file is gone" : ""}`}
    >
      {shown}
    </a>
  );
}

/** Every format in one dialog, reviewed first. */
function ExportButton({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="link flex items-center gap-1"
        title="One file: report, transcript, ATIF, Plimsoll session or bundle"
        onClick={() => setOpen(true)}
      >
        <Download size={12} aria-hidden="true" />
        Export…
      </button>
      {isOpen && <ExportLayer id={id} format="markdown" onClose={() => setOpen(false)} />}
    </>
  );
}

const RELATIONS: Record<SessionSummary["lineage"][number]["relation"], string> = {
  parent: "its parent",
  child: "a sub-agent",
  origin: "where it came from",
  copy: "goes on from here",
  "older copy": "an older copy of its file",
  continues: "it continues",
  continued: "continued in",
};

/** What the file held before it was truncated, rotated or rewritten. */
export function EarlierVersions({ session }: { session: SessionSummary }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link" title="Compare with what the file holds now" onClick={() => setOpen(true)}>
        {formatCount(session.earlierVersions.length, "earlier version")}
      </button>
      {isOpen && <VersionsLayer id={session.id} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Sessions that share records or calls with this one. */
function Lineage({ session }: { session: SessionSummary }) {
  const router = useRouter();
  const shared = session.lineage.filter(isShared);
  return (
    <Menu
      label="Sessions with shared history"
      triggerClass="text-accent hover:underline"
      trigger={`shares history with ${formatCount(shared.length, "session")}`}
      items={shared.map((one) => ({
        id: one.id,
        label: `${RELATIONS[one.relation]}, ${one.id}`,
        hint: one.events > 0 ? formatCount(one.events, "event") : formatCount(one.calls ?? 0, "model call"),
        onPick: () => router.push(`/sessions/${one.id}`),
      }))}
    />
  );
}
