// Where a walk over the calls of a session stops next. Pure.
import type { LoadView } from "../shared/load-view.ts";

/** The next call; calm: the last call of the turn, or of the next one where this is it. Null at the end. */
export function nextStop(view: LoadView, index: number, isCalm: boolean): number | null {
  const last = view.calls.length - 1;
  if (index >= last) return null;
  if (!isCalm) return index + 1;
  const turn = view.calls[index + 1]?.turn;
  const after = view.calls.findIndex((call, i) => i > index && call.turn !== turn);
  return after < 0 ? last : after - 1;
}
