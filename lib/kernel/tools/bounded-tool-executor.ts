// Runs one tool call: inside its time, with one outcome of five, and with what it returned measured before the model
// sees it. The order: may it run (deadline, blocked, arguments, repeated, approved), cache, the tool, its own
// toModelOutput, decision, store, envelope. The cache holds what the tool returned, never an envelope: a pointer of a
// session that is gone leads nowhere. Nothing is thrown into the agent's loop.
import { LIMITS } from "../limits.ts";
import type { OffloadPolicy } from "../artifacts/offload-presets.ts";
import { policyOf } from "../artifacts/offload-presets.ts";
import type { ArtifactBackend } from "./artifact-backend.ts";
import type { BoundedTool, CallContext, ToolCall } from "./bounded-tool.ts";
import { callKey } from "./bounded-tool.ts";
import type { ExecutedCall } from "./executed-call.ts";
import { denied, failedCall, isRetryable, messageOf } from "./executed-call.ts";
import type { KeptOutput } from "./keep-output.ts";
import { keepOutput } from "./keep-output.ts";
import { modelOutputOf } from "./model-output.ts";
import type { DecisionRecord } from "./offload-output.ts";
import type { DeniedReason, ToolOutcome } from "./outcome.ts";
import { outcome } from "./outcome.ts";
import type { ToolTrace, TurnState } from "./turn-state.ts";

export type ExecutorHost = {
  now(): number;
  newId(): string;
  /** Calls `f` after a time; returns what takes that back. */
  after(ms: number, f: () => void): () => void;
};

/** What tools returned, by tool and arguments: the originals. */
export type OutputCache = {
  get(key: string): { readonly output: unknown } | null | undefined;
  set(key: string, entry: { readonly output: unknown }): void;
};

export type Approval = { readonly allow: boolean; readonly details?: string };

export type ResultTrace = {
  readonly call_id: string;
  readonly tool_name: string;
  readonly content: string;
  readonly is_error: boolean;
};

export type ExecutorOptions = {
  readonly tools: readonly BoundedTool[];
  readonly artifacts: ArtifactBackend;
  readonly host: ExecutorHost;
  readonly policy?: OffloadPolicy;
  /** The tools that the model is offered, where they are more than `tools`: an envelope names only these. */
  readonly availableTools?: readonly string[];
  /** Asked before each call, a person perhaps. The time that it takes is not the tool's. */
  readonly approve?: (call: ToolCall) => Approval | Promise<Approval>;
  readonly cache?: OutputCache;
  /** Told once for every output, dropped ones included. */
  readonly onDecision?: (decision: DecisionRecord) => void;
  /** Told of each result that enters the context; never of one that came late. */
  readonly onTrace?: (trace: ResultTrace) => void;
};

/** A call that may be made. */
type Admitted = {
  readonly tool: BoundedTool;
  readonly input: unknown;
  /** Of the tool with these arguments; null where they are not plain data. */
  readonly key: string | null;
  readonly wasCoerced: boolean;
};

type Finished = { readonly raw: unknown; readonly output: unknown } | { readonly thrown: unknown };

export class BoundedToolExecutor {
  readonly #options: ExecutorOptions;
  readonly #tools: ReadonlyMap<string, BoundedTool>;
  readonly #policy: OffloadPolicy;
  readonly #availableTools: readonly string[];

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
    this.#policy = options.policy ?? policyOf();
    this.#availableTools = options.availableTools ?? options.tools.map((tool) => tool.name);
  }

  /** The outcome of one call. Never rejects. */
  async execute(call: ToolCall, turn: TurnState): Promise<ToolOutcome> {
    return (await this.run(call, turn)).outcome;
  }

  /** The outcome, with the text for the model and the decision about it. Never rejects. */
  async run(given: ToolCall, turn: TurnState): Promise<ExecutedCall> {
    const { host } = this.#options;
    const call = given.call_id === "" ? { ...given, call_id: host.newId() } : given;
    const startedAt = host.now();
    try {
      const admitted = await this.#admit(call, turn);
      return "outcome" in admitted ? admitted : await this.#perform(call, turn, admitted);
    } catch (error) {
      // A hook of the host threw (approval, cache, trace): the loop is given an outcome all the same.
      return failedCall(call, messageOf(error), host.now() - startedAt);
    }
  }

  /** Everything that may speak against a call before it is made. */
  async #admit(call: ToolCall, turn: TurnState): Promise<Admitted | ExecutedCall> {
    const deny = (reason: DeniedReason, details: string): ExecutedCall => denied(call, reason, details);
    const noTime = "The turn has no time left. Answer with the results so far.";
    if (!turn.is_accepting_writes()) return deny("deadline", noTime);
    const tool = this.#tools.get(call.tool_name);
    if (tool === undefined) {
      const offered = [...this.#tools.keys()].join(", ");
      return deny("blocked", `There is no tool "${call.tool_name.slice(0, 80)}". Offered: ${offered}.`);
    }
    const blocked = turn.blockedReason(tool.name);
    if (blocked !== null) return deny("blocked", blocked);

    let input = call.arguments;
    try {
      if (tool.parse !== undefined) input = tool.parse(input);
    } catch (error) {
      return deny("validation", `The arguments do not fit ${tool.name}: ${messageOf(error)}`);
    }
    const key = callKey(tool.name, input);
    const repeated = key === null ? null : this.#repeated(tool, key, turn);
    if (repeated !== null) return deny("duplicate", repeated);

    const approval = await this.#options.approve?.({ ...call, arguments: input });
    if (approval?.allow === false)
      return deny("pre_hook", approval.details ?? `The call of ${tool.name} was not allowed.`);
    if (!turn.is_accepting_writes()) return deny("deadline", noTime);
    return { tool, input, key, wasCoerced: callKey(tool.name, call.arguments) !== key };
  }

  /** Why a call with these arguments would lead nowhere new, or null. */
  #repeated(tool: BoundedTool, key: string, turn: TurnState): string | null {
    const called = `${tool.name} was called with these arguments`;
    const isCached = tool.isCacheable === true && (this.#options.cache?.get(key) ?? null) !== null;
    if (tool.isIdempotent === true && !isCached && turn.hasAnswered(key))
      return `${called} in this turn, and has answered. See its result above.`;
    if (turn.countCall(key) <= LIMITS.sameCalls) return null;
    return `${called} ${LIMITS.sameCalls} times in this turn. Try another way.`;
  }

  /** Runs the tool. What comes first counts: its answer, its deadline, or the end of the turn. */
  #perform(call: ToolCall, turn: TurnState, admitted: Admitted): Promise<ExecutedCall> {
    const { host } = this.#options;
    const limitMs = turn.per_tool_remaining_ms(admitted.tool.timeoutMs);
    const trace = turn.set_trace_running(call.call_id, call.tool_name, limitMs);
    const controller = new AbortController();
    return new Promise<ExecutedCall>((resolve) => {
      let isSettled = false;
      const settle = (executed: ExecutedCall): void => {
        if (isSettled) return;
        isSettled = true;
        cancel();
        forget();
        resolve(executed);
      };
      const timeOut = (): void => {
        if (!turn.mark_trace_timed_out(trace)) return;
        controller.abort();
        settle(timedOut(trace, admitted.tool, turn));
      };
      const cancel = host.after(limitMs, timeOut);
      const forget = turn.onClose(() => {
        controller.abort();
        settle(denied(call, "deadline", "The turn was closed before the tool answered, so its output was not saved."));
      });
      const finish = async (finished: Finished): Promise<void> => {
        // The deadline may have passed although the timer has not run yet.
        if (host.now() >= trace.deadlineAt) timeOut();
        const isInTime = turn.complete_trace(trace);
        const elapsedMs = host.now() - trace.startedAt;
        const isOpen = (): boolean => isInTime && !isSettled && turn.is_accepting_writes();
        settle(await this.#conclude(call, turn, admitted, finished, elapsedMs, isOpen));
      };
      const context = { call_id: call.call_id, signal: controller.signal, deadlineAt: trace.deadlineAt };
      void this.#produce(admitted, context)
        .catch((thrown: unknown) => ({ thrown }))
        .then(finish)
        .catch((error: unknown) => settle(failedCall(call, messageOf(error), host.now() - trace.startedAt)));
    });
  }

  async #produce({ tool, input, key }: Admitted, context: CallContext): Promise<Finished> {
    const hit = tool.isCacheable === true && key !== null ? this.#options.cache?.get(key) : null;
    const raw = hit ? hit.output : await tool.execute(input, context);
    return { raw, output: tool.toModelOutput === undefined ? raw : await tool.toModelOutput(raw) };
  }

  /** From what the tool returned to the outcome. While `isOpen` says no, nothing is written and nothing is told as a result. */
  async #conclude(
    call: ToolCall,
    turn: TurnState,
    { tool, key, wasCoerced }: Admitted,
    finished: Finished,
    elapsed_ms: number,
    isOpen: () => boolean,
  ): Promise<ExecutedCall> {
    const of = { call_id: call.call_id, tool_name: call.tool_name };
    const made = modelOutputOf("thrown" in finished ? messageOf(finished.thrown) : finished.output);
    const isError = "thrown" in finished || made.isError;
    const kept = await this.#keep(call, made.text, isError, turn, isOpen);
    const { content, decision } = kept;
    this.#options.onDecision?.(decision);
    if (!isOpen() || decision.action === "drop")
      return denied(call, "deadline", "The turn ended before the output was saved.", decision);

    this.#options.onTrace?.({ ...of, content, is_error: isError });
    const result = content === made.text && !("thrown" in finished) ? finished.output : made.replace(content);
    const answer = { content, isError, result, decision };
    if ("thrown" in finished || isError) {
      const retryable = !("thrown" in finished) || isRetryable(finished.thrown);
      if (!retryable) turn.block(tool.name, `${tool.name} failed in this turn and may not be tried again.`);
      return { ...answer, outcome: outcome({ type: "ToolFailure", ...of, error: content, retryable, elapsed_ms }) };
    }
    if (key !== null) {
      turn.noteAnswered(key);
      if (tool.isCacheable === true) this.#options.cache?.set(key, { output: finished.raw });
    }
    return { ...answer, outcome: successOf(of, kept, result, elapsed_ms, wasCoerced) };
  }

  #keep(call: ToolCall, text: string, isError: boolean, turn: TurnState, isOpen: () => boolean): Promise<KeptOutput> {
    const { artifacts, host } = this.#options;
    return keepOutput(
      { text, isError, callId: call.call_id, toolName: call.tool_name },
      {
        artifacts,
        policy: this.#policy,
        availableTools: this.#availableTools,
        usedInputTokens: turn.usedInputTokens,
        after: (ms, f) => host.after(ms, f),
        isOpen,
      },
    );
  }
}

function successOf(
  of: { readonly call_id: string; readonly tool_name: string },
  { decision, summary }: KeptOutput,
  output: unknown,
  elapsed_ms: number,
  was_coerced: boolean,
): ToolOutcome {
  if (decision.artifactId === null)
    return outcome({ type: "ToolExecutionResult", ...of, output, elapsed_ms, was_coerced });
  const { artifactId: artifact_id, sizeBytes: size_bytes } = decision;
  return outcome({ type: "ToolArtifactReference", ...of, artifact_id, summary, size_bytes });
}

function timedOut(trace: ToolTrace, tool: BoundedTool, turn: TurnState): ExecutedCall {
  const { call_id, tool_name, startedAt, deadlineAt } = trace;
  const retryable = tool.metadata?.retry_on_timeout ?? true;
  if (!retryable) turn.block(tool.name, `${tool.name} ran out of time in this turn and may not be tried again.`);
  const elapsed_ms = deadlineAt - startedAt;
  const hint = retryable ? " Narrow the call and try again." : "";
  const content = `${tool.name} ran over ${Number((elapsed_ms / 1000).toFixed(1))} s and was stopped.${hint}`;
  return {
    outcome: outcome({ type: "ToolTimeout", call_id, tool_name, deadline_s: deadlineAt / 1000, elapsed_ms, retryable }),
    content,
    isError: true,
    result: content,
    decision: null,
  };
}
