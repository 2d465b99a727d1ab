// The tool outputs that were in a context, in the order they came, each with what is known of the call that asked for it.
import { frameOf } from "../prompt-frame.ts";
import type { LedgerItem } from "../ledger-types.ts";
import type { EventFacts, SessionLoadFacts } from "./culprit-types.ts";

export type Output = {
  readonly seq: number;
  /** Index into the ledger's items. */
  readonly index: number;
  readonly item: LedgerItem;
  readonly tokens: number;
  readonly from: number;
  readonly to: number;
  readonly callSeq: number | null;
  readonly path: string | null;
  readonly range: EventFacts["range"];
  readonly command: string | null;
  readonly inputKey: string | null;
  readonly outputKey: string | null;
  readonly isError: boolean;
  readonly writes: boolean;
  readonly reading: EventFacts["reading"];
  readonly lines: EventFacts["lines"];
  readonly lastUsed: number | null;
};

const known = new WeakMap<SessionLoadFacts, readonly Output[]>();

export function outputsOf(session: SessionLoadFacts): readonly Output[] {
  let outputs = known.get(session);
  if (outputs === undefined) known.set(session, (outputs = makeOutputs(session)));
  return outputs;
}

function makeOutputs(session: SessionLoadFacts): Output[] {
  return frameOf(session)
    .items.flatMap((item, index): Output[] => {
      if (item.kind !== "result" || item.seq === null) return [];
      const own = session.facts.get(item.seq);
      const request = own?.pairSeq == null ? undefined : session.facts.get(own.pairSeq);
      return [
        {
          seq: item.seq,
          index,
          item,
          tokens: item.tokens,
          from: item.from,
          to: item.to,
          callSeq: own?.pairSeq ?? null,
          path: own?.path ?? request?.path ?? null,
          range: own?.range ?? request?.range ?? null,
          command: own?.command ?? request?.command ?? null,
          inputKey: own?.inputKey ?? request?.inputKey ?? null,
          outputKey: own?.outputKey ?? null,
          isError: (own?.isError ?? false) || (request?.isError ?? false),
          writes: (own?.writes ?? false) || (request?.writes ?? false),
          reading: own?.reading ?? request?.reading ?? null,
          lines: own?.lines ?? null,
          lastUsed: own?.lastUsed ?? null,
        },
      ];
    })
    .toSorted((a, b) => a.seq - b.seq);
}

/** Seqs of what changed a file, in order, by its path. */
export function writesOf(session: SessionLoadFacts): ReadonlyMap<string, readonly number[]> {
  const writes = new Map<string, number[]>();
  const changes = [...session.facts.values()].filter((facts) => facts.writes);
  for (const { path, patches, seq } of changes.toSorted((a, b) => a.seq - b.seq))
    for (const file of new Set(path === null ? patches : [path, ...patches])) {
      const known = writes.get(file);
      if (known === undefined) writes.set(file, [seq]);
      else known.push(seq);
    }
  return writes;
}

/** The last of some seqs in order that lies before `seq`; -1 for none. */
export function lastBefore(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (seqs[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return seqs[low - 1] ?? -1;
}

/**
 * An output over this stands out: 3 % of the load line, between 4,000 tokens (results over them are 20 % of all that real
 * sessions sent) and 10,000 (8 %).
 */
const OVERSIZED_SHARE = 0.03;
const OVERSIZED_LEAST = 4000;
const OVERSIZED_MOST = 10_000;
export const oversizedFrom = (loadLine: number | null): number =>
  Math.min(OVERSIZED_MOST, Math.max(OVERSIZED_LEAST, Math.round((loadLine ?? 0) * OVERSIZED_SHARE)));

/** Tokens of an envelope that stands in the place of an offloaded output. */
export const ENVELOPE = 250;
/** Tokens of the lines that were needed: 200 lines of code. */
export const NARROWED = 2000;

export const sumTokens = (outputs: readonly { readonly tokens: number }[]): number =>
  outputs.reduce((sum, { tokens }) => sum + tokens, 0);

export const largestOf = <T extends { readonly tokens: number }>(outputs: readonly T[]): T =>
  outputs.reduce((most, one) => (one.tokens > most.tokens ? one : most));

/** The span of calls that carried any of them. */
export const spanOf = (outputs: readonly Output[]): { from: number; last: number } => ({
  from: Math.min(...outputs.map(({ from }) => from)),
  last: Math.max(...outputs.map(({ to }) => to - 1)),
});

/** The last call that used any of them. */
export const lastUseOf = (outputs: readonly Output[]): number | null =>
  outputs.reduce<number | null>(
    (last, { lastUsed }) => (lastUsed === null ? last : Math.max(last ?? lastUsed, lastUsed)),
    null,
  );

const FIX_CHARS = 60;
/** A line of advice that fits its column. */
export const fixOf = (text: string): string => (text.length < FIX_CHARS ? text : `${text.slice(0, FIX_CHARS - 2)}…`);

export const isShell = (tool: string | null): boolean =>
  /^(bash|shell|exec_command|local_shell(_call)?|run_shell_command|terminal)$/i.test(tool ?? "");
export const isRead = (tool: string | null): boolean => /^(read|read_file|view|cat|open_file)$/i.test(tool ?? "");
export const isSearch = (tool: string | null): boolean =>
  /^(grep|glob|search|find|ls|list_dir|search_file_content|codebase_search)$/i.test(tool ?? "");
export const isWait = (tool: string | null): boolean => /^(write_stdin|bashoutput|taskoutput)$/i.test(tool ?? "");
