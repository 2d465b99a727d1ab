// A session's load as detectors and replays take it: the ledger, what is known of its events, and the prices of its calls.
import { columns, query, scalar, select } from "#db/statement.ts";
import { schemaName } from "#lib/kernel/load/base.ts";
import { serverOf, serversIn, type ServerShare } from "#lib/kernel/load/servers.ts";
import type { CompactionFacts, SessionLoadFacts, ToolSchema } from "#lib/kernel/load/culprits/culprit-types.ts";
import { COUNTED, type ConstantsTable } from "#lib/kernel/load/constants.ts";
import { buildLedger } from "#lib/kernel/load/ledger.ts";
import type { Ledger, LedgerItem, RatesOf, WeighedEvent } from "#lib/kernel/load/ledger-types.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { missingCounts } from "./count-tokens.ts";
import { eventFacts } from "./event-facts.ts";
import { LINE_ROW, loadLineOf, type LoadLine } from "../import/load-line.ts";
import { OVERFLOW } from "../base/overflow.ts";
import type { SessionCounters } from "../import/session-counters.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { constantsOf } from "./calibrated.ts";
import { listRatesOf, ratesOf } from "../base/model-overrides.ts";
import { ledgerCalls, weighedRows, type WeighedRows } from "./ledger-rows.ts";
import { departuresIn, rewindsOf, type RewindRow } from "../base/rewind-rows.ts";
import { framePartsOf, promptPositions } from "../base/frame-parts.ts";
import { callsOf, allCompactionsOf, remembered, type CallRow, type CompactionRow } from "../base/session-rows.ts";
import { countersOf } from "../import/session-counters.ts";
import { costOf } from "./spend.ts";

type SessionFigures = {
  readonly id: string;
  readonly title: string;
  readonly lane: string;
  readonly format: string;
  readonly cwd: string | null;
  readonly line: LoadLine;
  readonly counters: SessionCounters;
  readonly cost: Cost;
};

export type LoadFacts = SessionLoadFacts & {
  readonly rewinds: readonly RewindRow[];
  readonly session: SessionFigures;
  /** What the ledger was made of. */
  readonly events: readonly WeighedEvent[];
  /** Of inherited calls too, which `ratesOf` has at nothing. */
  readonly listRatesOf: RatesOf;
};

/** The facts of a session, kept in memory for as long as it does not change. */
export function loadFactsOf(archive: Archive, pk: number): Promise<LoadFacts> {
  return remembered(archive, "facts", pk, () => makeFacts(archive, pk, ledgerOf(archive, pk)));
}

/** The same, and nothing is kept in memory: for who goes through all sessions. `ledger`: where it is made already. */
export const freshFactsOf = (archive: Archive, pk: number, ledger = makeLedger(archive, pk)): Promise<LoadFacts> =>
  makeFacts(archive, pk, ledger);

/** The same with every text counted, those too that the background pass has not come to: for who waits for the answer. */
export async function countedFactsOf(archive: Archive, pk: number): Promise<LoadFacts> {
  return makeFacts(archive, pk, makeLedger(archive, pk, await missingCounts(archive, pk)));
}

/** A ledger, and the rows that it was made of. */
export type LedgerRows = WeighedRows & {
  readonly ledger: Ledger;
  readonly constants: ConstantsTable;
  readonly format: string;
  readonly calls: readonly CallRow[];
  readonly compactions: readonly CompactionRow[];
  readonly rewinds: readonly RewindRow[];
};

/** The ledger as it is now, not kept: for who goes over all sessions. */
export const freshLedgerOf = (archive: Archive, pk: number): LedgerRows => makeLedger(archive, pk);

/** The same with every text counted. `counts`: those that the archive does not hold yet, by seq. */
export const countedLedgerOf = (archive: Archive, pk: number, counts: ReadonlyMap<number, number>): LedgerRows =>
  makeLedger(archive, pk, counts);

/** The ledger alone: what the chart is drawn from. */
export function ledgerOf(archive: Archive, pk: number): LedgerRows {
  return remembered(archive, "ledger", pk, () => makeLedger(archive, pk));
}

function makeLedger(archive: Archive, pk: number, counts?: ReadonlyMap<number, number>): LedgerRows {
  const row = select(archive.sqlite, "sessions", ["format", "tally"], "WHERE pk = ?").get(pk)!;
  const calls = callsOf(archive, pk);
  const frame = framePartsOf(archive, pk);
  const compactions = allCompactionsOf(archive, pk, frame);
  const rewinds = rewindsOf(archive, pk);
  const weighed = weighedRows(archive, pk, frame, counts);
  const constants = countersOf(row).counted > 0 ? COUNTED : constantsOf(archive);
  const { format } = row;
  const ledger = buildLedger({
    calls: ledgerCalls(calls),
    events: weighed.standing,
    borrowed: weighed.borrowed,
    compactions: promptPositions(frame, [...compactions, ...departuresIn(archive, pk, frame)]),
    format,
    constants,
  });
  return { ledger, calls, compactions, rewinds, ...weighed, constants, format };
}

async function makeFacts(
  archive: Archive,
  pk: number,
  { ledger, compactions, rewinds, standing }: LedgerRows,
): Promise<LoadFacts> {
  const session = figuresOf(archive, pk);
  return {
    session,
    ledger,
    events: standing,
    facts: await eventFacts(archive, pk, ledger),
    // One that was undone counts for nothing, in the list as in the verdict.
    compactions: compactions
      .filter(({ undoneBy }) => undoneBy === undefined)
      .map(({ seqs, ...compaction }): CompactionFacts => ({
        ...compaction,
        cleared: compaction.kind === "micro" ? seqs : new Set(),
      })),
    rewinds,
    overflows: overflowsOf(archive, pk),
    schemas: schemasOf(archive, pk, ledger.items),
    servers: serversOf(archive, pk, ledger.items),
    tools: toolsOf(archive, pk),
    loadLine: session.line.tokens,
    ratesOf: ratesOf(archive, session.cwd),
    listRatesOf: listRatesOf(archive, session.cwd),
  };
}

export function figuresOf(archive: Archive, pk: number): SessionFigures {
  const row = query(
    archive.sqlite,
    {
      ...LINE_ROW,
      ...columns("sessions", "id", "title", "lane", "tally"),
    },
    `FROM sessions WHERE pk = ?`,
  ).get(pk)!;
  const { id, title, lane, format, cwd } = row;
  const counters = countersOf(row);
  return {
    ...{ id, title, lane, format, cwd, counters },
    line: loadLineOf(archive, row, counters),
    cost: costOf(archive, { pk, cwd }, counters),
  };
}

function overflowsOf(archive: Archive, pk: number): number[] {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "body"],
    "WHERE id BETWEEN ? AND ? AND type = 'error' ORDER BY id",
  ).all(...rowRange(pk));
  return rows.filter(({ body }) => OVERFLOW.test(body)).map(({ id }) => seqOfRow(id));
}

/** Listings that stand in a prompt, by the event's subtype, and the tools whose calls make use of them. */
const LISTINGS: Readonly<Record<string, { readonly name: string; readonly uses: string }>> = {
  skill_listing: { name: "list of skills", uses: "Skill" },
  agent_listing_delta: { name: "list of sub-agents", uses: "Task|Agent" },
  apps_instructions: { name: "instructions of apps", uses: "mcp__codex_apps__*" },
};

function schemasOf(archive: Archive, pk: number, items: readonly LedgerItem[]): ToolSchema[] {
  const listings = items.filter(({ itemClass, seq }) => itemClass === "listing" && seq !== null);
  if (listings.length === 0) return [];
  const called = query(
    archive.sqlite,
    { name: "tool_interactions.tool_name", calls: "integer" },
    "SELECT tool_name AS name, count(*) AS calls FROM tool_interactions WHERE session_pk = ? AND call_seq IS NOT NULL GROUP BY tool_name",
  ).all(pk);
  const subtype = scalar(archive.sqlite, "text?", "SELECT json_extract(body, '$.subtype') FROM events WHERE id = ?");
  const [base] = rowRange(pk);
  const callsOfTool = new Map(called.map(({ name, calls }) => [name, calls]));
  return listings.flatMap((item): ToolSchema[] => {
    const tool = schemaName(item);
    if (tool !== null)
      return [
        { name: tool, server: serverOf(tool), tokens: item.tokens, calls: callsOfTool.get(tool) ?? 0, seq: item.seq },
      ];
    const kind = subtype.get(base + item.seq!) ?? null;
    const known = kind !== null && Object.hasOwn(LISTINGS, kind) ? LISTINGS[kind] : undefined;
    if (known === undefined) return [];
    const uses = known.uses.split("|");
    const calls = called
      .filter(({ name }) => uses.some((use) => (use.endsWith("*") ? name.startsWith(use.slice(0, -1)) : name === use)))
      .reduce((sum, row) => sum + row.calls, 0);
    return [{ name: known.name, server: null, tokens: item.tokens, calls, seq: item.seq }];
  });
}

/** Listings of MCP servers, event by event. */
function serversOf(
  archive: Archive,
  pk: number,
  items: readonly LedgerItem[],
): ReadonlyMap<number, readonly ServerShare[]> {
  const text = scalar(
    archive.sqlite,
    "text?",
    "SELECT json_extract(body, '$.text') FROM events WHERE id = ? AND json_extract(body, '$.subtype') IN ('deferred_tools_delta', 'mcp_instructions_delta')",
  );
  const [base] = rowRange(pk);
  return new Map(
    items.flatMap(({ itemClass, seq }) => {
      if (itemClass !== "listing" || seq === null) return [];
      const listed = text.get(base + seq);
      return typeof listed === "string" ? [[seq, serversIn(listed)] as const] : [];
    }),
  );
}

/** The tools that a run says it started with: the last word on it counts. */
function toolsOf(archive: Archive, pk: number): readonly string[] {
  const text = scalar(
    archive.sqlite,
    "text?",
    "SELECT json_extract(body, '$.text') FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' AND json_extract(body, '$.subtype') = 'init' ORDER BY id DESC LIMIT 1",
  ).get(...rowRange(pk));
  return typeof text === "string" && text !== "" ? text.split("\n") : [];
}
