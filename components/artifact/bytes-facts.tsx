"use client";
// What the bytes are: their digest and whether they match it, their shape, and where else they stand.
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { lazy, Suspense } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { artifactPath } from "../shared/session-queries.ts";
import { hasShape } from "../shape/shape-query.ts";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { isReadable } from "../shared/artifact-header.tsx";
import { AsideSection, Pair, Pairs } from "./aside-section.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { PANELS } from "./panels.tsx";

/** Fetched with the page's second look: most artifacts have no such paths. */
const ShapeExplorer = lazy(() =>
  import("../shape/shape-explorer.tsx").then((module) => ({ default: module.ShapeExplorer })),
);

/** The panel that answers, and its program. */
const ASKED = { panel: parseAsStringLiteral(PANELS), program: parseAsString };

const BYTES: Record<ArtifactView["bytes"], string> = {
  sound: "the stored bytes match it",
  unchecked: "too large to check here; checked when read",
  missing: "the bytes are not in the archive",
  damaged: "the bytes did not match it and are in quarantine",
  removed: "the bytes were removed",
};

export function Checksum({ artifact }: { artifact: ArtifactView }) {
  return (
    <AsideSection title="Checksum">
      <Pairs>
        <Pair name="sha-256">
          <span className="mono break-all">{artifact.digest}</span>{" "}
          <CopyButton text={() => artifact.digest}>Copy</CopyButton>
        </Pair>
        <Pair name="Bytes">{BYTES[artifact.bytes]}</Pair>
        <Pair name="Row">
          {artifact.registry.ok
            ? "matches its own checksum"
            : "damaged: it does not match its own checksum. Run plimsoll check --rebuild."}
        </Pair>
        <Pair name="Pointer">
          <span className="mono break-all">{artifact.pointer}</span>
        </Pair>
      </Pairs>
    </AsideSection>
  );
}

/** What it is made of: an outline where there are paths to pick from, else the line that was told when it was stored. */
export function ShapeOutline({ artifact }: { artifact: ArtifactView }) {
  const [, setQuery] = useQueryStates(ASKED, { history: "push" });
  if (hasShape(artifact) && isReadable(artifact) && artifact.sizeBytes > 0)
    return (
      <section aria-label="Shape" className="border-b border-line px-5 py-3">
        <Suspense fallback={<Loading rows={6} height={24} label="Loading the shape" />}>
          <ShapeExplorer artifact={artifact} onPick={(program) => void setQuery({ panel: "jq", program })} />
        </Suspense>
      </section>
    );
  if (artifact.shape === null) return null;
  return (
    <AsideSection title="Shape">
      <p className="mono break-words">
        <SafeText text={artifact.shape} />
      </p>
    </AsideSection>
  );
}

export function SameBytes({ artifact }: { artifact: ArtifactView }) {
  const { sameBytes } = artifact;
  if (sameBytes.length === 0) return null;
  return (
    <AsideSection
      title="Same bytes elsewhere"
      hint={sameBytes.length < 50 ? formatCount(sameBytes.length, "place") : "the first 50"}
    >
      <p>Stored once, named {sameBytes.length + 1} times.</p>
      <ul className="mt-1 max-h-48 overflow-y-auto">
        {sameBytes.map((other) => (
          <li key={other.pointer} className="flex gap-2">
            <Link
              className="link min-w-0 flex-1 truncate"
              href={`/sessions/${other.sessionId}${other.seq === null ? "" : `?event=${other.seq}`}`}
            >
              <SafeText text={other.title} />
              {other.seq !== null && `, event ${other.seq}`}
            </Link>
            <Link className="link flex-none" href={artifactPath(other.pointer)}>
              artifact
            </Link>
          </li>
        ))}
      </ul>
    </AsideSection>
  );
}
