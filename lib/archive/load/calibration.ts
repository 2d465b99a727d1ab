// The estimator's error on this archive's own sessions, and constants fitted to them.
import { columns, query, type RowOf } from "#db/statement.ts";
import type { CalibrateRequest, CalibrationAnswer, Compared } from "#lib/wire/calibration-schema.ts";
import {
  crossValidated,
  errorsOf,
  fit,
  foldsOf,
  LEAST_TRANSITIONS,
  predicted,
  type Fit,
} from "#lib/kernel/load/calibrate.ts";
import { knownRequests, overheadsOf, type KnownRequest } from "#lib/kernel/load/overhead.ts";
import { clearingsOf } from "#lib/kernel/load/clearings.ts";
import { CONSTANTS, type Constants, type ConstantsTable } from "#lib/kernel/load/constants.ts";
import { buildLedger } from "#lib/kernel/load/ledger.ts";
import { transitionsOf, type Transition } from "#lib/kernel/load/transitions.ts";
import { fail } from "#lib/kernel/errors.ts";
import { FAMILIES, ITEM_CLASSES, type Family } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { learnsHere } from "../import/observed-windows.ts";
import { constantsOf, storedCalibration, type Fitted, saveCalibrationWrite } from "./calibrated.ts";
import { missingCounts } from "./count-tokens.ts";
import { ledgerCalls, weighedRows } from "./ledger-rows.ts";
import { allCompactionsOf, callsOf } from "../base/session-rows.ts";
import { framePartsOf, promptPositions } from "../base/frame-parts.ts";
import { departuresIn } from "../base/rewind-rows.ts";
import { countersOf } from "../import/session-counters.ts";
import { write } from "../base/write.ts";

const SESSION_ROW_COLUMNS = columns("sessions", "pk", "id", "title", "format", "tally", "parent_pk");
type SessionRow = RowOf<typeof SESSION_ROW_COLUMNS>;

export type CalibrateOptions = WorkOptions & {
  /** The progress of the fits, which begin when all sessions are read; `onProgress` is that of the sessions. */
  readonly onFit?: WorkOptions["onProgress"];
};

/**
 * Judges the estimates of every session that reported its calls. `fit` keeps constants where there are transitions enough:
 * ledgers are made with them from then on.
 */
export async function calibrate(
  archive: Archive,
  request: CalibrateRequest,
  { onFit, ...options }: CalibrateOptions = {},
): Promise<CalibrationAnswer> {
  if (request.do === "fit") requireLearning(archive);
  if (request.do === "reset") await write(archive, saveCalibrationWrite, { calibration: {} });
  const samples = await transitionsIn(archive, options);
  if (request.do === "fit")
    await write(archive, saveCalibrationWrite, { calibration: fittedTo(archive, samples.transitions) });
  return answerOf(archive, samples, onFit);
}

/** Fails where the archive is a node's cache: each node would weigh the same session otherwise. */
export function requireLearning(archive: Archive): void {
  if (!learnsHere(archive))
    fail(
      "unsupported",
      "A node fits no constants: each would show other figures of a session. It uses the shipped ones.",
    );
}

function fittedTo(archive: Archive, transitions: readonly Transition[]): Partial<Record<Family, Fitted>> {
  const stored = { ...storedCalibration(archive) };
  for (const family of FITTED_FAMILIES) {
    const own = transitions.filter((one) => one.family === family);
    if (own.length < LEAST_TRANSITIONS) continue;
    stored[family] = {
      ...fit(own, CONSTANTS[family]),
      transitions: own.length,
      sessions: new Set(own.map(({ session }) => session)).size,
      fittedAt: new Date(archive.host.now()).toISOString(),
    };
  }
  return stored;
}

/** Not "other": models that nobody told apart have no constants in common. */
const FITTED_FAMILIES = FAMILIES.filter((family) => family !== "other");

type Samples = {
  readonly transitions: readonly Transition[];
  readonly clearings: CalibrationAnswer["clearings"];
  readonly known: readonly KnownRequest[];
  readonly titles: ReadonlyMap<string, string>;
  readonly looked: number;
};

async function transitionsIn(archive: Archive, { signal, onProgress }: WorkOptions): Promise<Samples> {
  const rows = query(
    archive.sqlite,
    SESSION_ROW_COLUMNS,
    "FROM sessions WHERE calls > 1 AND earlier IS NULL ORDER BY pk",
  ).all();
  const groups = groupsOf(archive, rows);
  const transitions: Transition[] = [];
  const clearings: CalibrationAnswer["clearings"] = [];
  const known: KnownRequest[] = [];
  for (const [done, { pk, id, format, tally }] of rows.entries()) {
    if (signal?.aborted === true) fail("timeout", "The calibration was cancelled before it read every session.");
    onProgress?.({ done, total: rows.length, what: "sessions read" });
    // A tokenizer's own count is no provider's number: nothing can be learnt from it.
    if (countersOf({ tally }).counted > 0) continue;
    const calls = callsOf(archive, pk);
    const frame = framePartsOf(archive, pk);
    const counts = await missingCounts(archive, pk);
    const { standing: events, borrowed } = weighedRows(archive, pk, frame, counts);
    const compactions = allCompactionsOf(archive, pk, frame);
    const ledger = buildLedger({
      calls: ledgerCalls(calls),
      events,
      borrowed,
      compactions: promptPositions(frame, [...compactions, ...departuresIn(archive, pk, frame)]),
      format,
      constants: CONSTANTS,
    });
    const others = new Set(calls.flatMap(({ call, inherited }) => (inherited === 1 ? [call] : [])));
    const names = { session: id, group: groups.get(pk)!, isOwn: (call: number) => !others.has(call) };
    transitions.push(...transitionsOf(ledger, events, names));
    known.push(...knownRequests(ledger));
    const micro = compactions.map(({ seqs, ...compaction }) => ({ ...compaction, cleared: seqs }));
    for (const one of clearingsOf(ledger, micro)) clearings.push({ sessionId: id, ...one });
    await new Promise((resume) => setImmediate(resume));
  }
  onProgress?.({ done: rows.length, total: rows.length, what: "sessions read" });
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return { transitions, clearings, known, titles, looked: rows.length };
}

/** Sessions that share records, and sub-agents with their parents, are one group: named by its smallest row. */
function groupsOf(archive: Archive, rows: readonly SessionRow[]): ReadonlyMap<number, string> {
  const root = new Map<number, number>(rows.map(({ pk }) => [pk, pk]));
  const find = (pk: number): number => {
    let at = pk;
    while (root.get(at) !== undefined && root.get(at) !== at) at = root.get(at)!;
    return at;
  };
  const join = (a: number, b: number): void => {
    const [x, y] = [find(a), find(b)];
    root.set(Math.max(x, y), Math.min(x, y));
    root.set(Math.min(x, y), Math.min(x, y));
  };
  for (const { pk, parent_pk: parent } of rows) if (parent !== null) join(pk, parent);
  const shared = query(archive.sqlite, { a: "lineage.session_pk", b: "lineage.other_pk" }, "FROM lineage").all();
  for (const { a, b } of shared) join(a, b);
  return new Map(rows.map(({ pk }) => [pk, String(find(pk))]));
}

type Judged = {
  readonly transitions: readonly Transition[];
  readonly shipped: readonly number[];
  readonly current: readonly number[];
  readonly fitted: readonly number[] | null;
  readonly fit: Fit | null;
};

function answerOf(
  archive: Archive,
  { transitions, clearings, known, titles, looked }: Samples,
  onFit?: CalibrateOptions["onFit"],
): CalibrationAnswer {
  const table = constantsOf(archive);
  const stored = storedCalibration(archive);
  const families = FAMILIES.map((family) => ({ family, own: transitions.filter((one) => one.family === family) }));
  const total = families.reduce((sum, { own }) => sum + foldsOf(own), 0);
  let done = 0;
  const onFold = (): void => onFit?.({ done: ++done, total, what: "fits made" });
  const judged = families
    .filter(({ own }) => own.length > 0)
    .map(({ family, own }) => ({ family, ...judge(own, family, { table, onFold }) }));
  return {
    families: judged.map((one) => ({
      ...compare(one, () => true),
      family: one.family,
      models: [...new Set(one.transitions.map(({ model }) => model))].toSorted(),
      source: table[one.family].source,
      isFitted: stored[one.family] !== undefined,
      missing: one.family === "other" ? 0 : Math.max(0, LEAST_TRANSITIONS - one.transitions.length),
      perSignatureChar: { current: table[one.family].perSignatureChar, fitted: one.fit?.perSignatureChar ?? null },
    })),
    models: judged.flatMap((one) =>
      [...new Set(one.transitions.map(({ model }) => model))].toSorted().map((model) => ({
        ...compare(one, (transition) => transition.model === model),
        family: one.family,
        model,
      })),
    ),
    classes: judged.flatMap((one) =>
      ITEM_CLASSES.map((itemClass) => ({
        ...compare(one, (transition) => transition.mostly === itemClass),
        family: one.family,
        itemClass,
        constants: table[one.family].classes[itemClass],
        fittedConstants: one.fit?.classes[itemClass] ?? null,
      })).filter((row) => row.transitions > 0),
    ),
    sessions: judged.flatMap((one) =>
      [...new Set(one.transitions.map(({ session }) => session))].map((session) => {
        const row = compare(one, (transition) => transition.session === session);
        return {
          id: session,
          title: titles.get(session) ?? "",
          family: one.family,
          transitions: row.transitions,
          charsOver4: row.charsOver4.wape,
          current: row.current.wape,
          fitted: row.fitted?.wape ?? null,
        };
      }),
    ),
    clearings,
    overheads: overheadsOf(known),
    looked,
    transitions: transitions.length,
    leastTransitions: LEAST_TRANSITIONS,
  };
}

/** One estimator for all three, so that a difference is the constants' alone. */
function judge(
  transitions: readonly Transition[],
  family: Family,
  { table, onFold }: { readonly table: ConstantsTable; readonly onFold: () => void },
): Judged {
  const shipped = CONSTANTS[family];
  const by = (constants: Fit): number[] => transitions.map((one) => predicted(one, constants, shipped));
  const groups = new Set(transitions.map(({ group }) => group)).size;
  return {
    transitions,
    shipped: by(ownOf(shipped)),
    current: by(ownOf(table[family])),
    fitted: groups < 2 ? null : crossValidated(transitions, shipped, onFold),
    fit: transitions.length === 0 ? null : fit(transitions, shipped),
  };
}

const ownOf = ({ classes, perSignatureChar }: Constants): Fit => ({ classes, perSignatureChar });

function compare(judged: Judged, wants: (transition: Transition) => boolean): Compared {
  const at = judged.transitions.flatMap((transition, i) => (wants(transition) ? [i] : []));
  const own = at.map((i) => judged.transitions[i]!);
  const pick = (answers: readonly number[]) =>
    errorsOf(
      own,
      at.map((i) => answers[i]!),
    );
  return {
    transitions: own.length,
    sessions: new Set(own.map(({ session }) => session)).size,
    charsOver4: errorsOf(
      own,
      own.map(({ bytes }) => bytes / 4),
    ),
    shipped: pick(judged.shipped),
    current: pick(judged.current),
    fitted: judged.fitted === null ? null : pick(judged.fitted),
  };
}
