"use client";
// What the bytes are: their digest and whether they match it, their shape, and where else they stand.
import Link from "next/link";
import type { ArtifactView } from "#lib/wire/artifacts.ts";
import { artifactPath } from "../session/queries.ts";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { AsideSection, Pair, Pairs } from "./aside-section.tsx";
import { CopyButton } from "./copy-button.tsx";

const BYTES: Record<ArtifactView["bytes"], string> = {
  sound: "the stored bytes match it",
  unchecked: "too large to compare for this page; it is compared when they are read",
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

export function ShapeOutline({ artifact }: { artifact: ArtifactView }) {
  const { shape, outline } = artifact;
  if (shape === null) return null;
  return (
    <AsideSection title="Shape" hint={outline.length > 0 ? formatCount(keysOf(outline), "key") : undefined}>
      {outline.length === 0 ? (
        <p className="mono break-words">
          <SafeText text={shape} />
        </p>
      ) : (
        <dl className="mono max-h-72 overflow-y-auto">
          {outline.map(([key, told]) => (
            <div key={key} className="flex gap-3 border-b border-line py-0.5 last:border-b-0">
              <dt className="max-w-3/5 flex-none truncate text-ink">
                <SafeText text={key} />
              </dt>
              <dd className="min-w-0 flex-1 truncate text-right" title={told}>
                {told}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </AsideSection>
  );
}

/** The last line says how many keys are not shown: `… +12 more keys`. */
const keysOf = (outline: ArtifactView["outline"]): number => {
  const more = outline.at(-1);
  return more?.[0] === "…" ? outline.length - 1 + Number.parseInt(more[1].slice(1), 10) : outline.length;
};

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
