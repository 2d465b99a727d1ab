// The two contexts as a difference: what goes out, what comes in its place, and what stays.
import type { CompactAnswer } from "#lib/wire/memory.ts";
import { EventLinks } from "../context/event-links.tsx";
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
        <p key={`new ${at}`} data-sign="+">
          <span className="text-ink-3">{message.role}</span>
          <span>
            <SafeText text={message.label} />
          </span>
          <Num value={message.tokens} origin={message.origin} />
        </p>
      ))}
      <More count={came.length - SHOWN} what="comes in" />
      {out.slice(0, SHOWN).map((part: Part) => (
        <p key={part.seq} data-sign="−">
          <EventLinks seqs={[part.seq]} onOpen={onOpen} />
          <span>
            <SafeText text={part.label} />
          </span>
          <Num value={part.tokens} origin={answer.origin} />
        </p>
      ))}
      <More count={out.length - SHOWN} what="goes out" />
      {stays.slice(0, SHOWN).map((message, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- as above
        <p key={`same ${at}`}>
          <EventLinks seqs={message.seqs.slice(0, 1)} onOpen={onOpen} />
          <span>
            <SafeText text={message.label} />
          </span>
          <Num value={message.tokens} origin={message.origin} />
        </p>
      ))}
      <More count={stays.length - SHOWN} what="stays" />
    </div>
  );
}

const More = ({ count, what }: { count: number; what: string }) =>
  count > 0 ? <p className="text-ink-3">{`and ${formatCount(count, "more", "more")} that ${what}`}</p> : null;
