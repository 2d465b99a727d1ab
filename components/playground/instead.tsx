"use client";
// What stands in the place of a result when nothing can be asked, and how to go on.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { isReadable } from "../shared/artifact-header.tsx";
import { isJson } from "../shared/content-kind.ts";
import { nameOf } from "../shared/copy-as.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { AddSessions } from "../shared/no-sessions-yet.tsx";
import { choicesQuery } from "./playground-queries.ts";
import type { Inputs, Read } from "./use-inputs.ts";

/** Everything that is read is there, and is JSON. */
export const canRun = ({ read }: Inputs): boolean =>
  read.every(({ artifact }) => artifact !== undefined && isReadable(artifact) && isJson(artifact));

type InsteadProps = {
  inputs: Inputs;
  onPaste: () => void;
  /** Null where grep is asked already. */
  onGrep: (() => void) | null;
};

export function Instead({ inputs, onPaste, onGrep }: InsteadProps) {
  const { read, text } = inputs;
  const hasArtifacts = useQuery(choicesQuery(null, "")).data?.total !== 0;
  const bad = read.find(
    ({ artifact, failure }) => failure !== null || (artifact && !(isReadable(artifact) && isJson(artifact))),
  );
  if (bad !== undefined)
    return (
      <div className="p-5">
        <Unread bad={bad} onDrop={() => inputs.drop(bad.pointer)} onGrep={onGrep} />
      </div>
    );
  if (read.some(({ artifact }) => artifact === undefined))
    return (
      <div className="p-5">
        <Loading rows={6} label="Loading the artifact" />
      </div>
    );
  if (read.length > 0 || text !== "") return null;
  return (
    <div className="mx-auto max-w-140 p-5 pt-8">
      <Empty
        title="No input chosen"
        actions={
          <>
            {onGrep !== null && <Button onClick={onPaste}>Paste text</Button>}
            {hasArtifacts ? (
              <Link
                className={buttonClass("primary")}
                href={onGrep === null ? "/artifacts" : "/artifacts?type=application/json"}
              >
                {onGrep === null ? "All artifacts" : "JSON artifacts"}
              </Link>
            ) : (
              <AddSessions />
            )}
          </>
        }
      >
        {onGrep === null ? (
          "Choose an artifact: its lines that match are shown as you type a pattern."
        ) : (
          <>
            Choose an artifact, or paste JSON. Programs run as you type; <code className="mono">-n</code> needs no
            input.
          </>
        )}
      </Empty>
    </div>
  );
}

type UnreadProps = { bad: Read; onDrop: () => void; onGrep: (() => void) | null };

function Unread({ bad: { pointer, artifact, failure }, onDrop, onGrep }: UnreadProps) {
  const drop = (
    <Button small onClick={onDrop}>
      Do not read it
    </Button>
  );
  if (artifact === undefined)
    return (
      <Failure code={failure?.code ?? "failed"} title={`${pointer.slice(0, 60)} cannot be read`} action={drop}>
        {failure?.message ?? ""}
      </Failure>
    );
  const page = (
    <Link className={buttonClass("plain", true)} href={`/artifacts/${encodeURIComponent(artifact.pointer)}`}>
      Open its page
    </Link>
  );
  if (!isReadable(artifact))
    return (
      <Failure
        code={artifact.state === "live" ? artifact.bytes : artifact.state}
        title={`${nameOf(artifact)} cannot be read`}
        action={
          <span className="flex gap-2">
            {drop}
            {page}
          </span>
        }
      >
        {whyUnread(artifact)}
      </Failure>
    );
  return (
    <Failure
      code="not JSON"
      title={`${nameOf(artifact)} is ${kindOf(artifact)}`}
      action={
        <span className="flex gap-2">
          {artifact.lineCount !== null && onGrep !== null && (
            <Button small kind="primary" onClick={onGrep}>
              Ask with grep
            </Button>
          )}
          {drop}
          {page}
        </span>
      }
    >
      jq reads JSON or JSON lines. Use grep for text.
    </Failure>
  );
}

const kindOf = ({ contentType, lineCount }: ArtifactView): string =>
  lineCount === null ? `${contentType}, no text` : `${contentType}, ${formatCount(lineCount, "line")}`;

const whyUnread = ({ state, deletedWhy }: ArtifactView): string => {
  if (state === "deleted") return deletedWhy ?? "Deleted: its bytes are gone.";
  if (state === "expired") return "Its time is over, so its bytes may go at any moment.";
  return "Its bytes are missing or damaged. Run plimsoll check.";
};
