import { formatCount, formatTokens } from "../ui/format.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import type { ViewProps } from "./view.ts";
import { SafeText } from "../ui/safe-text.tsx";

/** Where a context was cut: its size before and after, and the summary that took the place of what went. */
export function CompactionEvent({ event, open, toggle }: ViewProps<"compaction">) {
  const { kind, trigger, tokensBefore, tokensAfter, text, cleared } = event.body;
  const before = event.sizes?.before ?? tokensBefore;
  const after = event.sizes?.after ?? tokensAfter;
  const sizes =
    before === null ? "" : ` ${formatTokens(before, true)}${after === null ? "" : ` → ${formatTokens(after, true)}`}`;
  const said = tokensBefore === null ? undefined : `The agent's own count: ${formatTokens(tokensBefore)} tokens`;
  const what =
    kind === "micro"
      ? `${cleared ? formatCount(cleared.length, "result") : "results"} cleared${sizes}`
      : `compacted${sizes}`;
  return (
    <div className="py-1">
      <p className="flex items-center gap-2 text-12 text-ink-2">
        <b className="font-medium whitespace-nowrap text-ink" title={said}>
          {what}
        </b>
        {trigger !== null && (
          <span className="min-w-0 truncate">
            {trigger === "auto" ? "by the agent" : trigger === "manual" ? "by hand" : <SafeText text={trigger} />}
          </span>
        )}
        {event.undoneBy != null && <span className="whitespace-nowrap">undone at event {event.undoneBy}</span>}
        <i className="flex-1 border-t border-dashed border-line-strong" aria-hidden="true" />
      </p>
      {text !== "" && (
        <Fold name={kind === "micro" ? "In their place" : "Summary"} glimpse={text} open={open} toggle={toggle}>
          <LongText event={event} text={text} open={open} toggle={toggle} />
        </Fold>
      )}
    </div>
  );
}
