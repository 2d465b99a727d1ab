// The savings of the presets as a page asks for them: one work at a time, in the thread that writes where there is one, with
// its last answer held in memory. Nobody waits in a request while 280 sessions are replayed.
import { isAppError } from "#lib/kernel/errors.ts";
import type { PresetSavings, PresetSavingsRequest, PresetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { presetSavingsOf } from "./preset-savings.ts";

type Running = { done: number | null; total: number | null; readonly stop: AbortController };
type Held = {
  running: Running | null;
  answer: PresetSavings | null;
  /** What the sessions were when the work began. */
  of: string;
  ended: PresetSavingsRun["ended"];
};

const held = new WeakMap<Archive, Held>();

function heldOf(archive: Archive): Held {
  let found = held.get(archive);
  if (found === undefined) held.set(archive, (found = { running: null, answer: null, of: "", ended: null }));
  return found;
}

/** The state now. The first that asks begins the work: there is nothing to see before. */
export async function readPresetSavings(archive: Archive): Promise<PresetSavingsRun> {
  const state = heldOf(archive);
  if (state.answer === null && state.running === null && state.ended === null) begin(archive, state);
  return shown(archive, state);
}

/** Begins the work, or stops it; who begins what runs already waits with the others. */
export async function runPresetSavings(
  archive: Archive,
  { do: wish }: PresetSavingsRequest,
): Promise<PresetSavingsRun> {
  const state = heldOf(archive);
  if (wish === "cancel") state.running?.stop.abort();
  else if (state.running === null) begin(archive, state);
  return shown(archive, state);
}

function begin(archive: Archive, state: Held): void {
  const running: Running = { done: null, total: null, stop: new AbortController() };
  state.running = running;
  state.ended = null;
  const { signal } = running.stop;
  const of = sessionsNow(archive);
  work(archive, signal, (done, total) => Object.assign(running, { done, total }))
    .then((answer) => {
      Object.assign(state, { answer, of });
    })
    .catch((error: unknown) => {
      const how = signal.aborted ? ("cancelled" as const) : ("failed" as const);
      if (how === "failed" && !isAppError(error)) console.error("Trying the presets failed:", error);
      const reason = error instanceof Error ? error.message : String(error);
      state.ended = { how, reason: how === "cancelled" ? "It was cancelled." : reason };
    })
    .finally(() => {
      state.running = null;
    });
}

async function work(
  archive: Archive,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void,
): Promise<PresetSavings> {
  const elsewhere = archive.writer?.work;
  if (elsewhere === undefined) return presetSavingsOf(archive, { signal, onProgress });
  const told = (text: string): void => {
    const [, done, total] = /^(\d+) of (\d+) /.exec(text) ?? [];
    if (done !== undefined) onProgress(Number(done), Number(total));
  };
  return (await elsewhere("presets", {}, { signal, onProgress: told })) as PresetSavings;
}

const sessionsNow = ({ sqlite }: Archive): string =>
  String(
    sqlite
      .prepare("SELECT count(*) || '.' || coalesce(sum(version), 0) FROM sessions WHERE held = 0 AND calls > 0")
      .pluck()
      .get(),
  );

function shown(archive: Archive, { running, answer, of, ended }: Held): PresetSavingsRun {
  return {
    running: running === null ? null : { done: running.done, total: running.total },
    answer,
    isStale: answer !== null && running === null && of !== sessionsNow(archive),
    ended,
  };
}
