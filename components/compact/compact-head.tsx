"use client";
import Link from "next/link";
import type { MemoryAnswer } from "#lib/wire/memory-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { useCompactState } from "./compact-state.ts";

type HeadProps = { session: SessionSummary | undefined; memory: MemoryAnswer | undefined; back: string };

/** Where this is, and that nothing is written yet. */
export function CompactHead({ session, memory, back }: HeadProps) {
  const [{ at, done }] = useCompactState();
  const before = memory?.compactions.length ?? 0;
  return (
    <header className="compact-head lg:flex-nowrap">
      <h1 className="flex min-w-0 items-baseline text-15 font-semibold max-sm:basis-full max-sm:flex-wrap">
        <Link href="/" className="flex-none font-normal text-ink-3 hover:text-ink max-md:hidden">
          Sessions
        </Link>
        <span className="flex-none font-normal text-ink-3 max-md:hidden">&ensp;/&ensp;</span>
        <Link
          prefetch={false}
          href={back}
          className="min-w-0 truncate font-normal text-ink-3 max-sm:line-clamp-2 max-sm:whitespace-normal hover:text-ink"
        >
          <SafeText text={session?.title || "Untitled session"} />
        </Link>
        <span className="flex-none font-normal text-ink-3">&ensp;/&ensp;</span>
        <span className="flex-none">{at === null ? "Compact at the end" : `Compact at event ${formatTokens(at)}`}</span>
      </h1>
      {done === null && <Badge>dry run</Badge>}
      <span className="flex-1" />
      {done === null && (
        <span className="flex-none text-12 text-ink-3 max-lg:hidden">nothing is written until you apply</span>
      )}
      {before > 0 && (
        <Link prefetch={false} href={back} className={`${buttonClass("quiet", true)} max-sm:hidden`}>
          Previous compactions <span className="font-normal text-ink-3">{before}</span>
        </Link>
      )}
      <Link prefetch={false} href={back} aria-label="Back to the session">
        <Kbd>esc</Kbd>
      </Link>
    </header>
  );
}
