// One turn of an agent: until when it runs, which calls of it are under way, and whether anything of it may still be
// written. A call that was given up, or a turn that was closed, writes nothing more: no artifact, no trace.
import { LIMITS } from "../limits.ts";

export type ToolTrace = {
  readonly call_id: string;
  readonly tool_name: string;
  readonly startedAt: number;
  readonly deadlineAt: number;
};

type Status = "running" | "completed" | "timed_out" | "closed";

export class TurnState {
  readonly #now: () => number;
  readonly #deadlineAt: number | null;
  readonly #traces = new Map<ToolTrace, Status>();
  readonly #blocked = new Map<string, string>();
  readonly #answered = new Set<string>();
  readonly #calls = new Map<string, number>();
  readonly #whenClosed = new Set<() => void>();
  #isClosed = false;
  /** Tokens of the context so far, where the agent knows them: the headroom gate needs them. */
  usedInputTokens: number | null;

  /** `deadlineAt` in milliseconds of `now`; null for a turn without an end. */
  constructor(options: {
    readonly now: () => number;
    readonly deadlineAt?: number | null;
    readonly usedInputTokens?: number | null;
  }) {
    this.#now = options.now;
    this.#deadlineAt = options.deadlineAt ?? null;
    this.usedInputTokens = options.usedInputTokens ?? null;
  }

  /** False once the turn is closed or past its deadline. */
  is_accepting_writes(): boolean {
    return !this.#isClosed && !this.is_expired();
  }

  /** Seals the turn: calls that are under way are told to stop, and nothing that they return is kept. */
  close_writes(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [trace, status] of this.#traces) if (status === "running") this.#traces.set(trace, "closed");
    const result = [...this.#whenClosed];
    this.#whenClosed.clear();
    for (const tell of result) tell();
  }

  is_expired(): boolean {
    return this.#deadlineAt !== null && this.#now() >= this.#deadlineAt;
  }

  /** Time that one tool may take: what is left of the turn, but never under 5 s nor over 45 s, nor over its own limit. */
  per_tool_remaining_ms(toolMs: number = LIMITS.toolMaxMs): number {
    const left = this.#deadlineAt === null ? LIMITS.toolMaxMs : this.#deadlineAt - this.#now();
    return Math.min(Math.max(Math.min(left, toolMs), LIMITS.toolMinMs), LIMITS.toolMaxMs);
  }

  set_trace_running(call_id: string, tool_name: string, limitMs: number): ToolTrace {
    const startedAt = this.#now();
    const trace = { call_id, tool_name, startedAt, deadlineAt: startedAt + limitMs };
    this.#traces.set(trace, "running");
    return trace;
  }

  /** False when the call has ended already. */
  mark_trace_timed_out(trace: ToolTrace): boolean {
    return this.#end(trace, "timed_out");
  }

  /** False when the call was given up, or its turn is closed: what it returned is to be ignored. */
  complete_trace(trace: ToolTrace): boolean {
    return this.#end(trace, "completed");
  }

  #end(trace: ToolTrace, status: Status): boolean {
    if (this.#traces.get(trace) !== "running") return false;
    this.#traces.set(trace, status);
    return true;
  }

  /** Runs `tell` when the turn is closed; returns what takes that back. */
  onClose(tell: () => void): () => void {
    this.#whenClosed.add(tell);
    return () => this.#whenClosed.delete(tell);
  }

  /** No more calls of a tool in this turn, and why. */
  block(toolName: string, reason: string): void {
    this.#blocked.set(toolName, reason);
  }

  blockedReason(toolName: string): string | null {
    return this.#blocked.get(toolName) ?? null;
  }

  /** Counts a call with these arguments; says the how-manieth it is in this turn. */
  countCall(key: string): number {
    const count = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, count);
    return count;
  }

  noteAnswered(key: string): void {
    this.#answered.add(key);
  }

  hasAnswered(key: string): boolean {
    return this.#answered.has(key);
  }
}
