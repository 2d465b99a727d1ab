// Which calls are out, and which were answered. A result belongs to the turn of its call, and a second one for the same
// call is none; an id that a provider uses again is another call.
import { buildToolInteractions } from "./tool-interactions.ts";
import type { RawTrace } from "./memory-types.ts";

type Count = { calls: number; results: number };

export class CallBook {
  readonly #counts = new Map<string, Count>();
  /** Turns of calls that are out, by id, oldest first. */
  readonly #out = new Map<string, string[]>();
  /** Ids that calls without one were given, by turn and tool, oldest first. */
  readonly #unnamed = new Map<string, string[]>();

  constructor(corpus: readonly RawTrace[]) {
    for (const { turnId, toolCallId, toolName, callTrace, resultTrace } of buildToolInteractions(corpus)) {
      if (turnId === null) continue;
      if (toolCallId === null) {
        if (resultTrace === null) push(this.#unnamed, `${turnId} ${toolName}`, callTrace!.id);
        continue;
      }
      const count = this.#countOf(turnId, toolCallId);
      if (callTrace !== null) count.calls++;
      if (resultTrace !== null) count.results++;
      if (resultTrace === null) push(this.#out, toolCallId, turnId);
    }
  }

  called(turnId: string, id: string | null, toolName: string, given: string): string {
    if (id === null || id === "") {
      push(this.#unnamed, `${turnId} ${toolName}`, given);
      return given;
    }
    this.#countOf(turnId, id).calls++;
    push(this.#out, id, turnId);
    return id;
  }

  /** The turn whose call of this id is out: the latest one, when several are. */
  turnOf(id: string | null | undefined): string | null {
    return (id ? this.#out.get(id)?.at(-1) : null) ?? null;
  }

  /** Whether a result is the first for its call; and the id that its call goes by in the context. */
  answered(
    turnId: string,
    id: string | null,
    toolName: string,
  ): { readonly isNew: boolean; readonly contextId: string } {
    if (id === null || id === "")
      return { isNew: true, contextId: this.#unnamed.get(`${turnId} ${toolName}`)?.shift() ?? "" };
    const count = this.#countOf(turnId, id);
    if (count.results >= Math.max(1, count.calls)) return { isNew: false, contextId: id };
    count.results++;
    const out = this.#out.get(id);
    const at = out?.indexOf(turnId) ?? -1;
    if (at >= 0) out!.splice(at, 1);
    return { isNew: true, contextId: id };
  }

  /** An answer that was not written after all. */
  takeBack(turnId: string, id: string | null): void {
    if (id === null || id === "") return;
    this.#countOf(turnId, id).results--;
    push(this.#out, id, turnId);
  }

  #countOf(turnId: string, id: string): Count {
    const key = JSON.stringify([turnId, id]);
    const count = this.#counts.get(key) ?? { calls: 0, results: 0 };
    this.#counts.set(key, count);
    return count;
  }
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
