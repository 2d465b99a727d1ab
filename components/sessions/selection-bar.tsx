"use client";
// What can be done with the selected sessions.
import { Download, FlaskConical, GitCompareArrows, Trash2, X } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { artifactsAnswer } from "#lib/wire/artifacts-schema.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { RemoveSessionLayer } from "../session/remove-session-layer.tsx";
import { EndSessionLayer } from "../session/end-session-layer.tsx";
import { useSeesAll } from "../ui/access-context.ts";
import { api, failureOf, withQuery } from "../ui/api.ts";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import type { Selection } from "../ui/use-selection.ts";

/** What the playground reads at once. */
const INPUTS = 15;
/** Downloads that a browser is asked for at once. */
const EXPORTS = 20;
/** Between two of them: a browser drops one that comes with the other. */
const BETWEEN_MS = 400;

export function SelectionBar({ selection }: { selection: Selection<SessionRow> }) {
  const { chosen, missing, clear } = selection;
  const sessions = [...chosen.values()];
  return (
    <section
      aria-label="Selected sessions"
      className="flex min-h-10 flex-none flex-wrap items-center gap-2 border-t border-line-strong bg-select px-6 py-1.5 max-md:px-4"
    >
      <output className="mr-2 font-medium">
        {formatCount(sessions.length, "session")} selected
        {missing > 0 && <span className="font-normal text-ink-2">, {formatCount(missing, "row")} not loaded yet</span>}
      </output>
      <CompareLink sessions={sessions} />
      <ExportButton sessions={sessions} />
      <PlaygroundButton sessions={sessions} />
      <EndButton sessions={sessions} />
      <RemoveButton sessions={sessions} onRemoved={clear} />
      <span className="flex-1" />
      <IconButton label="Clear the selection" onClick={clear}>
        <X size={14} aria-hidden="true" />
      </IconButton>
    </section>
  );
}

type ActionProps = { sessions: readonly SessionRow[] };

function CompareLink({ sessions }: ActionProps) {
  const [a, b] = sessions;
  const words = (
    <>
      <GitCompareArrows size={12} aria-hidden="true" />
      Compare
    </>
  );
  if (a === undefined || b === undefined || sessions.length !== 2)
    return (
      <Button small disabled title="Select two sessions to compare">
        {words}
      </Button>
    );
  return (
    <Link
      prefetch={false}
      className={buttonClass("plain", true)}
      href={`/sessions/compare?${new URLSearchParams({ a: a.id, b: b.id })}`}
    >
      {words}
    </Link>
  );
}

function ExportButton({ sessions }: ActionProps) {
  const isOver = sessions.length > EXPORTS;
  return (
    <Button
      small
      disabled={isOver}
      title={isOver ? `At most ${EXPORTS} sessions are exported at once` : "One JSON Lines file a session"}
      onClick={() => {
        for (const [at, { id }] of sessions.entries()) setTimeout(() => download(id), at * BETWEEN_MS);
      }}
    >
      <Download size={12} aria-hidden="true" />
      Export
    </Button>
  );
}

function download(id: string): void {
  const link = document.createElement("a");
  link.href = `/api/sessions/${encodeURIComponent(id)}/export`;
  link.download = "";
  link.click();
}

function PlaygroundButton({ sessions }: ActionProps) {
  const seesAll = useSeesAll();
  const router = useRouter();
  const [problem, setProblem] = useState<string | null>(null);
  const artifacts = sessions.reduce((sum, session) => sum + session.artifacts, 0);
  const why =
    artifacts === 0
      ? "These sessions have no artifacts"
      : artifacts > INPUTS
        ? `They have ${artifacts} artifacts; the playground reads at most ${INPUTS}`
        : null;
  const send = async () => {
    try {
      const pointers = (await Promise.all(sessions.map(({ id }) => pointersOf(id)))).flat();
      const [first, ...rest] = pointers;
      if (first === undefined) return setProblem("Their artifacts were deleted or expired.");
      const also = rest.length === 0 ? "" : `&also=${rest.map(encodeURIComponent).join(",")}`;
      router.push(`/playground?artifact=${encodeURIComponent(first)}${also}`);
    } catch (error) {
      setProblem(failureOf(error).message);
    }
  };
  if (!seesAll) return null;
  return (
    <>
      <Button
        small
        disabled={why !== null}
        title={why ?? "Query the artifacts of these sessions"}
        onClick={() => void send()}
      >
        <FlaskConical size={12} aria-hidden="true" />
        Send to playground
      </Button>
      {problem !== null && (
        <span role="alert" className="text-12 text-ink-2">
          {problem}
        </span>
      )}
    </>
  );
}

async function pointersOf(id: string): Promise<string[]> {
  const path = withQuery(`/api/sessions/${encodeURIComponent(id)}/artifacts`, { state: "live", limit: INPUTS });
  return (await api(path, artifactsAnswer)).artifacts.map(({ pointer }) => pointer);
}

function RemoveButton({ sessions, onRemoved }: ActionProps & { readonly onRemoved: () => void }) {
  const [asked, setAsked] = useState<string | null>(null);
  const [one] = sessions;
  const why =
    one === undefined || sessions.length > 1
      ? "Select one session"
      : one.held
        ? "Held by Plimsoll: its log is nowhere else"
        : null;
  return (
    <>
      <Button small disabled={why !== null} title={why ?? undefined} onClick={() => setAsked(one?.id ?? null)}>
        <Trash2 size={12} aria-hidden="true" />
        Remove session…
      </Button>
      {asked !== null && <RemoveSessionLayer id={asked} onClose={() => setAsked(null)} onRemoved={onRemoved} />}
    </>
  );
}

function EndButton({ sessions }: ActionProps) {
  const [asked, setAsked] = useState<string | null>(null);
  const [one] = sessions;
  const why =
    one === undefined || sessions.length > 1
      ? "Select one session"
      : !one.held
        ? "Imported sessions are read-only"
        : one.artifacts === 0
          ? "It has no artifacts"
          : null;
  return (
    <>
      <Button small disabled={why !== null} title={why ?? undefined} onClick={() => setAsked(one?.id ?? null)}>
        <Trash2 size={12} aria-hidden="true" />
        Delete artifacts…
      </Button>
      {asked !== null && <EndSessionLayer id={asked} onClose={() => setAsked(null)} />}
    </>
  );
}
