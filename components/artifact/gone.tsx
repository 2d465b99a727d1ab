"use client";
// What stands in the place of bytes that cannot be read: what was there, why it is gone, and what to do.
import type { ReactNode } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { nameOf } from "../shared/copy-as.ts";

export function Gone({ artifact }: { artifact: ArtifactView }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-6 py-6 max-md:px-4">
      <div className="max-w-160">
        {artifact.state === "live" ? <Broken artifact={artifact} /> : <Was artifact={artifact} />}
      </div>
    </div>
  );
}

/** The tombstone. */
function Was({ artifact }: { artifact: ArtifactView }) {
  const { state, deletedAt, expiresAt, lineCount, sizeBytes, contentType, toolName, bytes } = artifact;
  return (
    <>
      <h2 className="text-15 font-semibold">
        {state === "expired" ? "This artifact has expired" : "This artifact was deleted"}
      </h2>
      <p className="mt-1 text-ink-2">
        It was{" "}
        <span className="break-all text-ink">
          <SafeText text={nameOf(artifact).slice(0, 400)} />
        </span>
        , {formatBytes(sizeBytes)}
        {lineCount !== null && ` in ${formatCount(lineCount, "line")}`} of <SafeText text={contentType} />
        {toolName !== null && (
          <>
            , returned by <SafeText text={toolName} />
          </>
        )}
        . It{" "}
        {state === "expired" ? (
          <>
            expired <When ts={expiresAt ?? deletedAt} />
          </>
        ) : (
          <>
            was deleted <When ts={deletedAt} />, {WHY[artifact.deletedWhy ?? "deleted"] ?? "by a rule"}
          </>
        )}
        .
      </p>
      <p className="mt-2 text-ink-2">{afterwards(bytes, artifact.sameBytes.length)}</p>
      <p className="mt-2 text-12 text-ink-3">
        Links to it still say what was there. Agents that read it get the same answer.
      </p>
    </>
  );
}

const WHY: Record<string, string> = {
  deleted: "by a person",
  swept: "by the retention rules",
};

function afterwards(bytes: ArtifactView["bytes"], others: number): string {
  if (bytes === "removed" || bytes === "missing") return "Its bytes are no longer in the archive.";
  if (others > 0)
    return `Its bytes are still stored: ${formatCount(others, "other artifact has", "other artifacts have")} the same.`;
  return "Its bytes go with the next sweep, ten minutes after the last use at the earliest.";
}

function Broken({ artifact }: { artifact: ArtifactView }): ReactNode {
  const again =
    artifact.origin === "imported"
      ? "Run plimsoll check --rebuild to restore it from the imported log."
      : "Store the same content again, or run the tool again: equal bytes repair it everywhere.";
  if (artifact.bytes === "damaged")
    return (
      <Failure code="damaged" title="The stored bytes are damaged">
        They no longer match their sha-256 and were moved to the archive's quarantine folder. {again}
      </Failure>
    );
  return (
    <Failure code="missing" title="The bytes of this artifact are not in the archive">
      The blob was removed by hand, or the archive was restored without it. {again}
    </Failure>
  );
}
