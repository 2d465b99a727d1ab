import type { CarryOnRow } from "#lib/wire/carry-on-schema.ts";
import { Num } from "../ui/num.tsx";

/** Of the first call of a continuation; nothing before it has come. */
export function PredictedAndReal({
  tokens: { predicted, real },
}: {
  tokens: Pick<CarryOnRow["tokens"], "predicted" | "real">;
}) {
  if (real === null) return null;
  return (
    <span className="text-ink-2 tabular-nums">
      predicted <Num value={predicted} origin="estimated" short />, real <Num value={real} origin="reported" short />
    </span>
  );
}
