"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { useIsNode } from "../ui/access-context.ts";
import { statsQuery } from "../artifacts-list/stats-query.ts";
import { useSessionCounts, useSources } from "../shared/server-status.ts";
import { formatBytes, formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";

/** This archive: where it is and what it holds. */
export function AboutTab({ archive }: { archive: string }) {
  const isNode = useIsNode();
  const { data: counts } = useSessionCounts();
  const { data: sources } = useSources();
  const { data: stats } = useQuery(statsQuery);
  const facts: readonly (readonly [name: string, value: ReactNode, about: ReactNode])[] = [
    [
      "Archive",
      <span key="archive" className="mono break-all">
        <SafeText text={archive} />
      </span>,
      isNode
        ? "The cache of this node. The fleet’s database and bucket have everything."
        : "One folder with everything that Plimsoll stores.",
    ],
    [
      "Sessions",
      counts && formatCount(counts.all, "session"),
      isNode ? "Of the whole fleet." : "Session files are read and never changed.",
    ],
    [
      "Sources",
      sources && (
        <Link key="sources" className="link underline" href="/sources">
          {formatCount(sources.roots.filter((root) => root.exists).length, "source")}
        </Link>
      ),
      "Folders that are read and watched.",
    ],
    [
      "Artifacts",
      stats && formatCount(stats.artifacts, "artifact"),
      isNode ? "In the cache of this node." : "Tool outputs that can be read back.",
    ],
    ["On the disk", stats && formatBytes(stats.physicalBytes), "Artifacts only; equal bytes are stored once."],
    isNode
      ? ["Network", "the fleet", "Its database, its bucket and its nodes, without telemetry."]
      : ["Network", "none", "Runs on this machine only, without telemetry."],
    [
      "Limits",
      <code key="limits" className="mono">
        docs/limits.md
      </code>,
      "A file in Plimsoll’s folder: every deadline and cap, fixed in each release.",
    ],
  ];
  return (
    <section aria-label="About" className="pb-8">
      <dl className="border-t border-line-strong">
        {facts.map(([name, value, about]) => (
          <div
            key={name}
            className="grid grid-cols-[170px_minmax(0,1fr)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1 border-b border-line py-1.5 max-lg:grid-cols-1"
          >
            <dt className="font-medium">{name}</dt>
            <dd>{value ?? "…"}</dd>
            <dd className="text-12 text-ink-3">{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
