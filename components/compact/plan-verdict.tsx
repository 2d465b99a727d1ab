import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { Num } from "../ui/num.tsx";
import type { Totals } from "./compact-view.ts";

/** From how much to how much, in one sentence. */
export function Verdict({ totals, unit }: { totals: Totals; unit: CompactAnswer["unit"] }) {
  return (
    <p className="verdict" data-testid="verdict">
      <b>
        <Num value={totals.before} origin={totals.beforeOrigin} /> down to{" "}
        <Num value={totals.after} origin="estimated" />.
      </b>{" "}
      Nothing is deleted from the log.
      {unit === "block" && " Cut inside a long turn, between finished tool calls."}
    </p>
  );
}
