// What a provider charges beside the text that it was sent, where the file holds whole requests: the first prompt of each epoch,
// as reported, against what its text was estimated at before the two were reconciled.
import { isNamedPart, SYSTEM_PART } from "../request-records.ts";
import type { Ledger } from "./ledger-types.ts";

export type KnownRequest = {
  readonly model: string | null;
  /** Prompt tokens, as reported. */
  readonly charged: number;
  /** Estimated tokens of all that was sent. */
  readonly text: number;
};

export function knownRequests({ calls, items }: Ledger): readonly KnownRequest[] {
  return calls.flatMap(({ model, epoch, reported, inherited }, k): KnownRequest[] => {
    // A copied call is looked at where it was made.
    if (reported === null || inherited || calls[k - 1]?.epoch === epoch) return [];
    const sent = items.filter(
      ({ seq, label, from, to }) => (seq !== null || isNamedPart(label)) && from <= k && to > k,
    );
    if (!sent.some(({ label }) => label.startsWith(`${SYSTEM_PART} `))) return [];
    return [{ model, charged: reported, text: sent.reduce((sum, { estimated }) => sum + estimated, 0) }];
  });
}

export type Overhead = {
  readonly model: string;
  readonly requests: number;
  readonly charged: number;
  readonly text: number;
};

/** By model, most requests first. */
export function overheadsOf(known: readonly KnownRequest[]): Overhead[] {
  return [...Map.groupBy(known, ({ model }) => model ?? "unnamed")]
    .map(([model, all]) => ({
      model,
      requests: all.length,
      charged: all.reduce((sum, one) => sum + one.charged, 0),
      text: all.reduce((sum, one) => sum + one.text, 0),
    }))
    .toSorted((a, b) => b.requests - a.requests);
}
