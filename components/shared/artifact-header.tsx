"use client";
import { Download, Trash2 } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { rawArtifactPath } from "./session-queries.ts";
import { Badge } from "../ui/badge.tsx";
import { useSeesAll } from "../ui/access-context.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { commandOf, curlOf, nameOf, toolCallOf } from "./copy-as.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** A title attribute says the whole of a long name, within reason. */
const TITLE_CHARS = 400;

export function ArtifactHeader({ artifact, onDelete }: { artifact: ArtifactView; onDelete: () => void }) {
  const seesAll = useSeesAll();
  const name = nameOf(artifact);
  const title = artifactTitle(artifact);
  const raw = rawArtifactPath(artifact.pointer);
  const canRead = isReadable(artifact);
  return (
    <header className="flex-none border-b border-line px-6 pt-3 pb-2 max-md:px-4">
      <div className="flex items-center gap-x-2 gap-y-1 max-lg:flex-wrap">
        <h1
          className="mr-2 min-w-0 flex-1 truncate text-20 font-semibold max-lg:basis-full"
          title={shownText(title).slice(0, TITLE_CHARS)}
        >
          {seesAll && (
            <>
              <Link href="/artifacts" className="font-normal text-ink-3 hover:text-ink">
                Artifacts
              </Link>
              <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
            </>
          )}
          <SafeText text={title} />
        </h1>
        {canRead && (
          <>
            <a className={buttonClass("primary")} href={raw} download>
              <Download size={14} aria-hidden="true" />
              Download {formatBytes(artifact.sizeBytes)}
            </a>
            <CopyButton text={() => curlOf(window.location.origin + raw, name)}>Copy as curl</CopyButton>
            <CopyButton text={() => commandOf(artifact)}>Copy as command</CopyButton>
            <CopyButton text={() => toolCallOf(artifact)}>Copy as tool call</CopyButton>
          </>
        )}
        {artifact.state !== "deleted" && seesAll && (
          // Away from the download: nobody deletes what they meant to save.
          <Button kind="quiet" className="ml-4 max-sm:ml-0" onClick={onDelete}>
            <Trash2 size={13} aria-hidden="true" />
            Delete…
          </Button>
        )}
      </div>
      {/* Each brings the dot before it, and the first of a line has its dot cut off. */}
      <div className="mt-1 text-12 text-ink-3 [clip-path:inset(-4px_-4px_-4px_0)]">
        <div className="-ml-4 flex flex-wrap items-center gap-y-0.5">
          <span className="ml-4 flex flex-wrap gap-x-1.5 empty:hidden">
            <States artifact={artifact} />
          </span>
          <Facts artifact={artifact} name={title === name ? null : name} />
        </div>
      </div>
    </header>
  );
}

/** Its bytes are there and may be read. */
export const isReadable = ({ state, bytes }: ArtifactView): boolean =>
  state === "live" && (bytes === "sound" || bytes === "unchecked");

function States({ artifact }: { artifact: ArtifactView }) {
  const { state, bytes, isError, origin, offloadedBy } = artifact;
  return (
    <>
      {state !== "live" && <Badge tone="error">{state}</Badge>}
      {state === "live" && bytes === "damaged" && <Badge tone="error">damaged</Badge>}
      {state === "live" && bytes === "missing" && <Badge tone="error">bytes missing</Badge>}
      {isError && <Badge tone="error">error</Badge>}
      {origin === "manual" && <Badge title="An agent or a person stored it on purpose">stored</Badge>}
      {offloadedBy !== null && origin !== "manual" && (
        <Badge title={offloadedBy === "plimsoll" ? "Plimsoll put an envelope in its place" : "The agent cut it itself"}>
          offloaded
        </Badge>
      )}
      {!artifact.registry.ok && (
        <Badge tone="error" title="Its row does not match its checksum: run plimsoll check">
          row damaged
        </Badge>
      )}
    </>
  );
}

function Facts({ artifact, name }: { artifact: ArtifactView; name: string | null }) {
  const facts: { name: string; fact: ReactNode }[] = [
    { name: "name", fact: name !== null && <Name name={name} /> },
    { name: "id", fact: <span className="mono text-ink-2">{artifact.id}</span> },
    { name: "type", fact: <SafeText text={artifact.contentType} /> },
    { name: "bytes", fact: formatBytes(artifact.sizeBytes) },
    { name: "lines", fact: artifact.lineCount !== null && formatCount(artifact.lineCount, "line") },
    { name: "size", fact: artifact.width !== null && `${artifact.width} × ${artifact.height}` },
    { name: "tokens", fact: artifact.tokens !== null && <Tokens artifact={artifact} /> },
    { name: "tool", fact: artifact.toolName !== null && <SafeText text={artifact.toolName} /> },
    { name: "session", fact: <SessionLink artifact={artifact} /> },
    { name: "stay", fact: artifact.enteredAt !== null && <Stay artifact={artifact} /> },
    { name: "created", fact: <When ts={artifact.createdAt} /> },
    { name: "expires", fact: artifact.expiresAt !== null && <Expiry artifact={artifact} /> },
  ].filter(({ fact }) => fact !== false);
  return facts.map(({ name, fact }) => (
    <span key={name} className="flex max-w-full items-center">
      <i className="mx-[6.5px] size-[3px] flex-none rounded-full bg-line-strong" aria-hidden="true" />
      <span className="max-w-110 min-w-0 truncate">{fact}</span>
    </span>
  ));
}

function Name({ name }: { name: string }) {
  return (
    <span className="mono">
      <SafeText text={name} />
    </span>
  );
}

function Tokens({ artifact }: { artifact: ArtifactView }) {
  return (
    <>
      <Num value={artifact.tokens} origin={artifact.tokensOrigin ?? "estimated"} /> tokens
    </>
  );
}

function SessionLink({ artifact }: { artifact: ArtifactView }) {
  return (
    <Link
      className="link"
      href={`/sessions/${artifact.sessionId}${artifact.seq === null ? "" : `?event=${artifact.seq}`}`}
    >
      <SafeText text={artifact.sessionTitle ?? artifact.sessionId} />
      {artifact.seq !== null && `, event ${artifact.seq}`}
    </Link>
  );
}

function Stay({ artifact }: { artifact: ArtifactView }) {
  return (
    <>
      entered at call {artifact.enteredAt}, resident {formatCount(artifact.callsResident ?? 0, "call")}
    </>
  );
}

function Expiry({ artifact }: { artifact: ArtifactView }) {
  return (
    <>
      {artifact.state === "live" ? "expires" : "expired"} <When ts={artifact.expiresAt} />
    </>
  );
}
