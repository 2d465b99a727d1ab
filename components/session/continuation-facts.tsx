"use client";
// Where a session was carried on: what it continues, with what was predicted of its first call, and what continues it.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { carryOnsQuery, continuationsOf } from "../shared/carry-on-queries.ts";
import { PredictedAndReal } from "../shared/predicted-and-real.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { SafeText } from "../ui/safe-text.tsx";

const isContinuation = ({ relation }: SessionSummary["lineage"][number]): boolean =>
  relation === "continues" || relation === "continued";

export const hasContinuations = (session: SessionSummary): boolean => session.lineage.some(isContinuation);

export function ContinuationFacts({ session }: { session: SessionSummary }) {
  const list = useQuery(carryOnsQuery(session.id, hasContinuations(session)));
  const { continues, continuedIn } = continuationsOf(list.data?.rows ?? [], session.id);
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1" data-testid="continuation">
      {continues !== null && (
        <>
          <span>continues</span>
          <Link
            prefetch={false}
            href={`/sessions/${continues.origin.id}`}
            className="link max-w-60 truncate"
            title={shownText(continues.origin.title ?? continues.origin.id)}
          >
            <SafeText text={continues.origin.title || continues.origin.id} />
          </Link>
          <PredictedAndReal tokens={continues.tokens} />
        </>
      )}
      {continuedIn.length > 0 && <span>{continues === null ? "continued in" : "· continued in"}</span>}
      {continuedIn.map(({ session: one }) => (
        <Link key={one.id} prefetch={false} href={`/sessions/${one.id}`} className="link">
          {one.id.slice(0, 10)}
        </Link>
      ))}
    </span>
  );
}
