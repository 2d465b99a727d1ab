// Calibration as a page asks for it: one work at a time, in the thread that writes where there is one, with its last answer
// held in memory. 280 sessions of 350 MB take some seconds; nobody waits in a request for that.
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { CalibrateRequest, CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import type { CalibrationRun, CalibrationRunRequest } from "#lib/wire/calibration-run-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { calibrate } from "./calibration.ts";

type Held = {
  running: (NonNullable<CalibrationRun["running"]> & { readonly stop: AbortController }) | null;
  answer: CalibrationAnswer | null;
  madeAt: number;
  /** What the sessions were when the work began. */
  of: string;
  ended: CalibrationRun["ended"];
};

const held = new WeakMap<Archive, Held>();

function heldOf(archive: Archive): Held {
  let found = held.get(archive);
  if (found === undefined) held.set(archive, (found = { running: null, answer: null, madeAt: 0, of: "", ended: null }));
  return found;
}

/** The state now. The first that asks has the error measured: there is nothing to see before. */
export async function readCalibration(archive: Archive): Promise<CalibrationRun> {
  const state = heldOf(archive);
  if (state.answer === null && state.running === null && state.ended === null) begin(archive, state, { do: "look" });
  return shown(archive, state);
}

/** Begins or stops a work; answers with the state right after. */
export async function runCalibration(archive: Archive, { do: wish }: CalibrationRunRequest): Promise<CalibrationRun> {
  const state = heldOf(archive);
  if (wish === "cancel") state.running?.stop.abort();
  else if (state.running !== null)
    fail("conflict", "The sessions are being looked at already. Wait for it, or cancel it first.");
  else begin(archive, state, { do: wish });
  return shown(archive, state);
}

function begin(archive: Archive, state: Held, request: CalibrateRequest): void {
  const running = { ...request, done: null, total: null, stop: new AbortController() } as NonNullable<Held["running"]>;
  state.running = running;
  state.ended = null;
  const { signal } = running.stop;
  // Calls and not versions: a fit raises the version of every session.
  const of = sessionsNow(archive);
  work(archive, request, signal, (done, total) => Object.assign(running, { done, total }))
    .then((answer) => {
      Object.assign(state, { answer, madeAt: archive.host.now(), of });
    })
    .catch((error: unknown) => {
      const how = signal.aborted ? ("cancelled" as const) : ("failed" as const);
      if (how === "failed" && !isAppError(error)) console.error("The calibration failed:", error);
      const reason = error instanceof Error ? error.message : String(error);
      state.ended = { do: request.do, how, reason: how === "cancelled" ? "It was cancelled." : reason };
    })
    .finally(() => {
      state.running = null;
    });
}

async function work(
  archive: Archive,
  request: CalibrateRequest,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<CalibrationAnswer> {
  const elsewhere = archive.writer?.work;
  if (elsewhere === undefined) return calibrate(archive, request, { signal, onProgress });
  const told = (text: string): void => {
    const [, done, total] = /^(\d+) of (\d+) /.exec(text) ?? [];
    if (done !== undefined) onProgress(Number(done), Number(total));
  };
  return (await elsewhere("calibrate", request, { signal, onProgress: told })) as CalibrationAnswer;
}

const sessionsNow = ({ sqlite }: Archive): string =>
  String(sqlite.prepare("SELECT count(*) || '.' || coalesce(sum(calls), 0) FROM sessions").pluck().get());

function shown(archive: Archive, { running, answer, madeAt, of, ended }: Held): CalibrationRun {
  return {
    running: running === null ? null : { do: running.do, done: running.done, total: running.total },
    answer,
    madeAt: answer === null ? null : new Date(madeAt).toISOString(),
    isStale: answer !== null && running === null && of !== sessionsNow(archive),
    ended,
  };
}
