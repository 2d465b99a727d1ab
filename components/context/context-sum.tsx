// What the messages weigh, beside what the provider said: the difference is what no log holds.
import type { ReactNode } from "react";
import type { ContextAnswer } from "#lib/wire/memory-schema.ts";
import { formatCount, formatPercent, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { hiddenOf, repairWords } from "./context-view.ts";

export function ContextSum({ answer, line }: { answer: ContextAnswer; line: number | null }) {
  const hidden = hiddenOf(answer);
  const repaired = repairWords(answer.repair);
  return (
    <div className="min-w-0">
      <p className="text-15 text-ink-2" data-testid="context-sum">
        <Strong>
          {formatCount(answer.messages.length, "message")} at event {formatTokens(answer.at)}
        </Strong>
        {answer.call !== null && <>, as call {formatTokens(answer.call)} was sent them</>}:{" "}
        <Strong>
          <Num value={answer.tokens} origin={answer.origin} />
        </Strong>{" "}
        tokens{answer.epoch > 1 && <>, epoch {answer.epoch}</>}.
      </p>
      {answer.reported !== null && hidden !== null ? (
        <p className="mt-0.5 text-12 text-ink-2 tabular-nums" data-testid="hidden-prefix">
          <Num value={answer.tokens} origin={answer.origin} /> messages +{" "}
          <span>
            <Swatch category="prefix" /> <Num value={hidden.prefix} origin="estimated" /> hidden prefix (system prompt,
            tools, memory files)
          </span>{" "}
          {hidden.unattributed !== 0 && (
            <span>
              {hidden.unattributed < 0 ? "−" : "+"} <Swatch category="unattributed" />{" "}
              <Num value={Math.abs(hidden.unattributed)} origin="estimated" /> not explained by the log
            </span>
          )}{" "}
          = <b className="font-medium text-ink">{formatTokens(answer.reported)}</b> the provider said
          {line !== null && line > 0 && <> ({formatPercent(answer.reported / line)} of the line)</>}
        </p>
      ) : (
        <p className="mt-0.5 text-12 text-ink-3">
          The provider reported nothing here: system prompt and tool schemas come on top of it, unseen.
        </p>
      )}
      {(answer.leftOut ?? []).map(({ what, why, count }) => (
        <p key={what + why} className="mt-0.5 text-12 text-ink-3" data-testid="left-out">
          {formatTokens(count)} × {what.replaceAll("_", " ")} not in this request: {why}
        </p>
      ))}
      {repaired.length > 0 && (
        <p className="mt-0.5 text-12 text-ink-2" data-testid="repair">
          Mended so that each tool call is followed by one result: {repaired.join(", ")}.
        </p>
      )}
    </div>
  );
}

const Strong = ({ children }: { children: ReactNode }) => <b className="font-semibold text-ink">{children}</b>;
