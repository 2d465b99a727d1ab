"use client";
// Why there is no ledger: nothing to compact, or a failure that left everything as it was.
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { EXTRACTIVE, useCompactState, type Policy } from "./compact-state.ts";

/** A cut was found, and a summary made of it. */
export const isCut = ({ status }: CompactAnswer): boolean => status === "planned" || status === "complete";

type RefusalProps = {
  answer: CompactAnswer;
  target: CompactTarget;
  policy: Policy;
  onPick: (part: Partial<Policy>) => void;
};

export function Refusal({ answer, target, policy, onPick }: RefusalProps) {
  const isFailure = answer.status === "failed";
  return (
    <div data-testid="refusal" role={isFailure ? "alert" : undefined}>
      <p className="verdict">
        <b>{isFailure ? "The compaction failed." : "Nothing to compact."}</b>{" "}
        {isFailure ? "Nothing changed." : "The context stays as it is."}
      </p>
      {answer.reason !== null && (
        <p className="mt-2 flex items-baseline gap-2 text-ink-2">
          {isFailure && <Badge tone="error">failed</Badge>}
          <SafeText text={answer.reason} />
        </p>
      )}
      {isFailure && policy.by !== EXTRACTIVE && (
        <Button small className="mt-3" onClick={() => onPick({ by: EXTRACTIVE })}>
          Summarise without a model
        </Button>
      )}
      {!isFailure && (
        <div className="mt-3 flex flex-wrap gap-2">
          {policy.tail > 0 && target.turns.length > 0 && (
            <Button small onClick={() => onPick({ tail: 0 })}>
              Keep no turn
            </Button>
          )}
          <AtTheFullest target={target} />
        </div>
      )}
    </div>
  );
}

/** A context that was just cut holds little; the one before the cut is worth a look. */
function AtTheFullest({ target }: { target: CompactTarget }) {
  const [, choose] = useCompactState();
  const { fullest } = target;
  if (fullest === undefined || fullest.seq === target.at) return null;
  return (
    <Button small onClick={() => void choose({ at: fullest.seq })}>
      See it at call {formatTokens(fullest.call)}, the fullest
    </Button>
  );
}
