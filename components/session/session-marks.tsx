"use client";
// What is to be known about a session before its numbers are believed.
import { stateWords } from "#lib/kernel/load/compaction-state.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { ARCHIVED_WORDS } from "../shared/archived-words.ts";
import { Badge } from "../ui/badge.tsx";
import { formatCount } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Tip } from "../ui/tip.tsx";

/** Notes on what the numbers of this session cannot say. */
export function Quality({ session }: { session: SessionSummary }) {
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

export function States({ session }: { session: SessionSummary }) {
  return (
    <>
      {session.state !== null && session.state !== "fine" && (
        <Badge>{stateWords(session.state, session.automaticCompactions)}</Badge>
      )}
      {session.status === "running" && <Badge tone="live">Running</Badge>}
      {session.status === "gone" && <Badge title="The file was deleted; its content is kept here">file deleted</Badge>}
      {session.archived !== null && <Badge title={ARCHIVED_WORDS[session.archived]}>{session.archived}</Badge>}
      {session.demo && <Badge>demo</Badge>}
      {session.earlierOf !== null && (
        <Badge title="Records no longer in the source file">earlier version {session.earlierOf.number}</Badge>
      )}
      {session.earlierOf === null && session.relation !== "root" && session.relation !== "" && (
        <Badge>{session.relation === "subagent" ? "sub-agent" : session.relation}</Badge>
      )}
    </>
  );
}
