"use client";
// Events by their number, each a link into the transcript. A plain click stays in the page.
import type { ReactNode } from "react";
import { eventHref, onPlainClick } from "./load-cursor.ts";
import { useSession } from "./session-context.tsx";
import { formatTokens } from "../ui/format.ts";

type EventLinksProps = {
  seqs: readonly number[];
  onOpen: (seq: number) => void;
  /** Links before the rest is a count. */
  most?: number;
  /** What each event is, on hover. */
  nameOf?: (seq: number) => string | undefined;
};

export function EventLinks({ seqs, onOpen, most = 3, nameOf }: EventLinksProps) {
  const { id } = useSession();
  const shown = seqs.slice(0, most);
  const more = seqs.length - shown.length;
  return (
    <span className="tabular-nums">
      {shown.map((seq, at) => (
        <span key={seq}>
          {at > 0 && ", "}
          <a
            className="link underline decoration-line-strong underline-offset-2"
            href={eventHref(id, seq)}
            title={nameOf?.(seq) ?? `Open event ${formatTokens(seq)} in the transcript`}
            onClick={onPlainClick(() => onOpen(seq))}
          >
            {seq}
          </a>
        </span>
      ))}
      {more > 0 && (
        <span className="text-ink-3" title={`Also ${seqs.slice(most, most + 40).join(", ")}${more > 40 ? " …" : ""}`}>
          {" "}
          +{formatTokens(more)}
        </span>
      )}
    </span>
  );
}

type EventLinkProps = { seq: number; onOpen: (seq: number) => void; children: ReactNode };

/** What an event is, as a link to it. */
export function EventLink({ seq, onOpen, children }: EventLinkProps) {
  const { id } = useSession();
  return (
    <a
      className="hover:underline"
      href={eventHref(id, seq)}
      title={`Open event ${formatTokens(seq)} in the transcript`}
      onClick={onPlainClick(() => onOpen(seq))}
    >
      {children}
    </a>
  );
}
