// The two contexts as a difference: what goes out, what comes in its place, and what stays.
import type { ReactNode } from "react";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { EventLinks } from "../shared/event-links.tsx";
import { formatCount } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import type { Part } from "./compact-view.ts";

/** Lines of each kind before the rest is a count. */
const SHOWN = 60;

type DifferenceProps = { answer: CompactAnswer; onOpen: (seq: number) => void };

export function ContextDifference({ answer, onOpen }: DifferenceProps) {
  const out = [...answer.summarised, ...answer.dropped].toSorted((a, b) => a.seq - b.seq);
  const came = answer.snapshot.filter(({ change }) => change === "new");
  const stays = answer.snapshot.filter(({ change }) => change === "same");
  return (
    <div className="context-difference mt-3" data-testid="context-difference">
      {came.slice(0, SHOWN).map((message, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages of one answer never move
        <Line key={`new ${at}`} sign="+" of={message}>
          <span className="text-ink-3">{message.role}</span>
        </Line>
      ))}
      <More count={came.length - SHOWN} what="comes in" />
      {out.slice(0, SHOWN).map((part: Part) => (
        <Line key={part.seq} sign="−" of={{ ...part, origin: answer.origin }}>
          <EventLinks seqs={[part.seq]} onOpen={onOpen} />
        </Line>
      ))}
      <More count={out.length - SHOWN} what="goes out" />
      {stays.slice(0, SHOWN).map((message, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- as above
        <Line key={`same ${at}`} of={message}>
          <EventLinks seqs={message.seqs.slice(0, 1)} onOpen={onOpen} />
        </Line>
      ))}
      <More count={stays.length - SHOWN} what="stays" />
    </div>
  );
}

type LineProps = {
  sign?: "+" | "−";
  of: { readonly label: string; readonly tokens: number; readonly origin: CompactAnswer["origin"] };
  /** Who or where it is. */
  children: ReactNode;
};

const Line = ({ sign, of, children }: LineProps) => (
  <p data-sign={sign}>
    {children}
    <span>
      <SafeText text={of.label} />
    </span>
    <Num value={of.tokens} origin={of.origin} />
  </p>
);

const More = ({ count, what }: { count: number; what: string }) =>
  count > 0 ? <p className="text-ink-3">{`and ${formatCount(count, "more", "more")} that ${what}`}</p> : null;
