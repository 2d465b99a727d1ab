// What a person decides before a session is exported: its format, what is in it, and which findings are masked. Pure.
import { LIMITS } from "#lib/kernel/limits.ts";
import { PRIVATE_KINDS, type PrivateKind } from "#lib/kernel/private-spans.ts";
import {
  defaultOutputs,
  hasOutputs,
  isReport,
  type ExportFormat,
  type ExportRequest,
  type ExportReviewRequest,
  type Outputs,
} from "#lib/wire/export-schema.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { PrivateFinding } from "#lib/wire/redaction-schema.ts";

export type ExportState = {
  readonly format: ExportFormat;
  /** Kinds that are masked. */
  readonly kinds: ReadonlySet<PrivateKind>;
  /** Findings that are decided otherwise than their kind: whether they are masked. */
  readonly singly: ReadonlyMap<string, boolean>;
  /** Events of a report; null until something is chosen: the server's own choice. */
  readonly events: readonly number[] | null;
  /** Null: as much as the format has by itself. */
  readonly outputs: Outputs | null;
  readonly agents: boolean;
};

export const firstState = (format: ExportFormat): ExportState => ({
  format,
  kinds: new Set(["secret"]),
  singly: new Map(),
  events: null,
  outputs: null,
  agents: true,
});

type Decided = Pick<ExportState, "kinds" | "singly">;

export const isMasked = ({ kinds, singly }: Decided, { id, kind }: Pick<PrivateFinding, "id" | "kind">): boolean =>
  singly.get(id) ?? kinds.has(kind);

export function decide(state: ExportState, id: string, masked: boolean): ExportState {
  return { ...state, singly: new Map(state.singly).set(id, masked) };
}

/** All values of a kind; what was decided of them singly is forgotten. */
export function decideKind(
  state: ExportState,
  kind: PrivateKind,
  masked: boolean,
  findings: readonly Pick<PrivateFinding, "id" | "kind">[],
): ExportState {
  const kinds = new Set(PRIVATE_KINDS.filter((one) => (one === kind ? masked : state.kinds.has(one))));
  const singly = new Map(state.singly);
  for (const finding of findings) if (finding.kind === kind) singly.delete(finding.id);
  return { ...state, kinds, singly };
}

/** In the order of the log, each once, as many as a report has. Null where the number is no event's. */
export function withEvent(events: readonly number[], text: string): readonly number[] | null {
  const seq = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  if (seq < 1 || events.length >= LIMITS.reportEvents) return null;
  return [...new Set([...events, seq])].toSorted((a, b) => a - b);
}

/** What the server is to look through. */
export const reviewRequestOf = ({ format, events, outputs, agents }: ExportState): ExportReviewRequest => ({
  format,
  agents,
  ...(isReport(format) && events !== null && { events: [...events] }),
  ...(hasOutputs(format) && { outputs: outputs ?? defaultOutputs(format) }),
});

/** The file that the server writes. */
export function requestOf(state: ExportState): ExportRequest {
  const decided = [...state.singly];
  return {
    ...reviewRequestOf(state),
    mask: [...state.kinds],
    accept: decided.flatMap(([id, masked]) => (masked ? [] : [id])),
    hide: decided.flatMap(([id, masked]) => (masked ? [id] : [])),
  };
}

/** Events that a report may well show: those of the first culprits, each once. */
export function candidatesOf({ culprits }: Pick<LedgerAnswer, "culprits">): readonly { seq: number; label: string }[] {
  const labels = new Map<number, string>();
  for (const { seq, label } of culprits) if (seq !== null && !labels.has(seq)) labels.set(seq, label);
  return [...labels].slice(0, CANDIDATES).map(([seq, label]) => ({ seq, label }));
}

const CANDIDATES = 8;
