import type { ReactNode } from "react";

type AsideSectionProps = { title: string; hint?: ReactNode; children: ReactNode };

/** One question about an artifact, and its answer. */
export function AsideSection({ title, hint, children }: AsideSectionProps) {
  return (
    <section aria-label={title} className="border-b border-line px-5 py-3 last:border-b-0">
      <h2 className="flex items-baseline gap-2 text-13 font-semibold">
        <span className="flex-1">{title}</span>
        {hint !== undefined && <span className="text-12 font-normal text-ink-3">{hint}</span>}
      </h2>
      <div className="mt-1 text-12 text-ink-2">{children}</div>
    </section>
  );
}

/** Names and what stands behind each, in two columns. */
export function Pairs({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5">{children}</dl>;
}

export function Pair({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
