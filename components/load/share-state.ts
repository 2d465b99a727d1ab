// What a person decides before a report is written: the events in it, and which findings are masked. Pure.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { masksKind } from "#lib/wire/report-mask.ts";
import type { ReportFinding, ReportMask, ReportRequest } from "#lib/wire/report-schema.ts";

export type ShareState = {
  readonly format: ReportRequest["format"];
  readonly mask: ReportMask;
  /** Findings that are decided otherwise than `mask` says: whether they are masked. */
  readonly singly: ReadonlyMap<string, boolean>;
  /** Null until something is chosen: the server's own choice. */
  readonly events: readonly number[] | null;
};

export const FIRST_STATE: ShareState = { format: "html", mask: "secrets", singly: new Map(), events: null };

type Decided = Pick<ShareState, "mask" | "singly">;

export const isMasked = ({ mask, singly }: Decided, { id, kind }: Pick<ReportFinding, "id" | "kind">): boolean =>
  singly.get(id) ?? masksKind(mask, kind);

export function decide(state: ShareState, id: string, masked: boolean): ShareState {
  return { ...state, singly: new Map(state.singly).set(id, masked) };
}

/** In the order of the log, each once, as many as a report has. Null where the number is no event's. */
export function withEvent(events: readonly number[], text: string): readonly number[] | null {
  const seq = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (seq < 1 || events.length >= LIMITS.reportEvents) return null;
  return [...new Set([...events, seq])].toSorted((a, b) => a - b);
}

/** The report that the server writes. */
export function requestOf(state: ShareState): ReportRequest {
  const decided = [...state.singly];
  return {
    format: state.format,
    mask: state.mask,
    accept: decided.flatMap(([id, masked]) => (masked ? [] : [id])),
    hide: decided.flatMap(([id, masked]) => (masked ? [id] : [])),
    ...(state.events !== null && { events: [...state.events] }),
  };
}

/** Events that a report may well show: those of the first culprits, each once. */
export function candidatesOf({ culprits }: Pick<LedgerAnswer, "culprits">): readonly { seq: number; label: string }[] {
  const labels = new Map<number, string>();
  for (const { seq, label } of culprits) if (seq !== null && !labels.has(seq)) labels.set(seq, label);
  return [...labels].slice(0, CANDIDATES).map(([seq, label]) => ({ seq, label }));
}

const CANDIDATES = 8;
