"use client";
// What the archive holds, what a rule would take away, and the sweep that does it.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ArchiveStats } from "#lib/wire/retention-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { statsQuery } from "../artifacts-list/stats-query.ts";
import { Failure, RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { retentionQuery } from "./settings-queries.ts";
import { RetentionForm } from "./retention-form.tsx";

export function RetentionTab() {
  const settings = useQuery(retentionQuery);
  const stats = useQuery(statsQuery);
  const isNode = useIsNode();
  const error = settings.error ?? stats.error;
  return (
    <div className="pb-8">
      {isNode && (
        <p className="max-w-180 pb-4 text-ink-2">
          This is the cache of this node. What projects keep is on{" "}
          <Link className="link underline" href="/fleet?tab=retention">
            Fleet
          </Link>
          .
        </p>
      )}
      {settings.data && stats.data ? (
        // Both at once: what the archive holds would push the form down.
        <>
          <Holds stats={stats.data} />
          <RetentionForm saved={settings.data} />
        </>
      ) : error !== null ? (
        <RequestFailure error={error} title="Retention could not be read" />
      ) : (
        <Loading rows={8} label="Loading retention" />
      )}
    </div>
  );
}

function Holds({ stats }: { stats: ArchiveStats }) {
  const { artifacts, physicalBytes, logicalBytes, savedBytes, tombstones, waiting, quarantine, degraded, held } = stats;
  const gone = tombstones.deleted + tombstones.expired + tombstones.swept;
  const facts: readonly (readonly [string, string, string])[] = [
    ["Artifacts", formatTokens(artifacts), "that can be read"],
    ["On the disk", formatBytes(physicalBytes), "each content once"],
    ["Without sharing", formatBytes(logicalBytes), "every artifact for itself"],
    [
      "Saved",
      formatBytes(savedBytes),
      logicalBytes === 0
        ? "by storing the same once"
        : `${formatPercent(savedBytes / logicalBytes)} by storing the same once`,
    ],
    ["Tombstones", formatTokens(gone), gone === 0 ? "nothing was removed" : tombstoneWords(tombstones)],
    ["Next sweep frees", formatBytes(waiting.bytes), formatCount(waiting.blobs, "blob")],
  ];
  return (
    <section aria-label="What the archive holds">
      <dl className="grid grid-cols-6 gap-x-6 gap-y-3 border-b border-line pb-4 max-lg:grid-cols-3 max-sm:grid-cols-2">
        {facts.map(([name, value, says]) => (
          <div key={name}>
            <dt className="text-12 text-ink-3">{name}</dt>
            <dd className="text-20 font-semibold tabular-nums">{value}</dd>
            <dd className="text-12 text-ink-3">{says}</dd>
          </div>
        ))}
      </dl>
      {quarantine.count > 0 && (
        <div className="pt-3">
          <Failure code="damaged" title={`${formatCount(quarantine.count, "blob is", "blobs are")} in quarantine`}>
            {formatBytes(quarantine.bytes)} that no longer match their digest. Run plimsoll check --rebuild, which
            restores what imported logs hold.
          </Failure>
        </div>
      )}
      {held !== null && (
        <div className="pt-3">
          <Failure code="held" title="Sweeps are on hold">
            {held}
          </Failure>
        </div>
      )}
      {degraded !== null && (
        <div className="pt-3">
          <Failure code="degraded" title="Nothing more is stored until Plimsoll is started again">
            {degraded}
          </Failure>
        </div>
      )}
    </section>
  );
}

const tombstoneWords = ({ deleted, expired, swept }: ArchiveStats["tombstones"]): string =>
  [
    deleted > 0 ? `${formatTokens(deleted)} deleted` : "",
    expired > 0 ? `${formatTokens(expired)} expired` : "",
    swept > 0 ? `${formatTokens(swept)} swept` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
