"use client";
import { Download } from "lucide-react";
import Link from "next/link";
import { Fragment, type ReactNode } from "react";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { rawArtifactPath } from "../session/queries.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { CopyButton } from "./copy-button.tsx";
import { shownText } from "../ui/hidden-text.ts";

export function ArtifactHeader({ artifact }: { artifact: ArtifactView }) {
  const name = artifact.name ?? `Output of ${artifact.toolName ?? "a tool"}`;
  const raw = rawArtifactPath(artifact.pointer);
  return (
    <header className="flex-none border-b border-line px-6 pt-3 pb-2">
      <div className="flex items-start gap-4 max-md:flex-wrap">
        <h1 className="min-w-0 flex-1 truncate text-20 font-semibold">
          <Link href="/artifacts" className="font-normal text-ink-3 hover:text-ink">
            Artifacts
          </Link>
          <span className="font-normal text-ink-3">&ensp;/&ensp;</span>
          <SafeText text={name} />
        </h1>
        <CopyButton text={() => curlOf(raw, name)}>Copy as curl</CopyButton>
        <CopyButton text={() => `plimsoll cat ${artifact.pointer}`}>Copy as command</CopyButton>
        <a className={buttonClass("primary")} href={raw} download>
          <Download size={14} aria-hidden="true" />
          Download {formatBytes(artifact.sizeBytes)}
        </a>
      </div>
      <Facts artifact={artifact} />
      <p className="mt-1 flex flex-wrap items-center gap-x-2 text-12 text-ink-3">
        <span>sha-256</span>
        <span className="mono break-all text-ink-2">{artifact.digest}</span>
        <CopyButton text={() => artifact.digest}>Copy</CopyButton>
        {!artifact.registry.ok && (
          <Badge tone="error" title="Its row does not match its checksum: run plimsoll check">
            row damaged
          </Badge>
        )}
      </p>
      {artifact.shape !== null && (
        <p className="truncate text-12 text-ink-3" title={shownText(artifact.shape)}>
          shape{" "}
          <span className="mono text-ink-2">
            <SafeText text={artifact.shape} />
          </span>
        </p>
      )}
      {artifact.sameBytes.length > 0 && <SameBytes artifact={artifact} />}
    </header>
  );
}

function Facts({ artifact }: { artifact: ArtifactView }) {
  const facts: { name: string; fact: ReactNode }[] = [
    { name: "id", fact: <span className="mono text-ink-2">{artifact.id}</span> },
    { name: "type", fact: <SafeText text={artifact.contentType} /> },
    { name: "lines", fact: artifact.lineCount !== null && formatCount(artifact.lineCount, "line") },
    { name: "size", fact: artifact.width !== null && `${artifact.width} × ${artifact.height}` },
    { name: "tokens", fact: artifact.tokens !== null && <Tokens artifact={artifact} /> },
    { name: "tool", fact: artifact.toolName !== null && <SafeText text={artifact.toolName} /> },
    { name: "session", fact: <SessionLink artifact={artifact} /> },
    { name: "stay", fact: artifact.enteredAt !== null && <Stay artifact={artifact} /> },
    { name: "saw", fact: artifact.saw === "preview" && "the model saw only a preview" },
    { name: "created", fact: <When ts={artifact.createdAt} /> },
  ].filter(({ fact }) => fact !== false);
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-1.5 text-12 text-ink-3">
      {facts.map(({ name, fact }, i) => (
        <Fragment key={name}>
          {i > 0 && <i className="mx-0.5 size-[3px] flex-none rounded-full bg-line-strong" aria-hidden="true" />}
          <span className="max-w-110 truncate">{fact}</span>
        </Fragment>
      ))}
    </div>
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

function SameBytes({ artifact }: { artifact: ArtifactView }) {
  return (
    <details className="text-12 text-ink-3">
      <summary className="cursor-pointer">
        Same bytes in {formatCount(artifact.sameBytes.length, "other place")}
      </summary>
      <ul className="max-h-40 overflow-y-auto pl-4">
        {artifact.sameBytes.map((other) => (
          <li key={other.pointer} className="truncate">
            <Link
              className="link"
              href={`/sessions/${other.sessionId}${other.seq === null ? "" : `?event=${other.seq}`}`}
            >
              <SafeText text={other.title} />
              {other.seq !== null && `, event ${other.seq}`}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** For a shell: single quotes hold everything but themselves. */
function curlOf(raw: string, name: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const file = name.replaceAll(/[\\/\p{Cc}]/gu, "_").replace(/^[.-]+/u, "_");
  return `curl -H "Authorization: Bearer $PLIMSOLL_TOKEN" -o ${quoted(file)} ${quoted(window.location.origin + raw)}`;
}
