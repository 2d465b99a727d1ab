/**
 * The one core of every adapter: what a tool returned becomes what the model is to see, and the model is given a tool that
 * reads the rest back. Outputs are kept in memory, or in a folder; a recorder, where there is one, brings them to Plimsoll.
 */
import { z } from "zod";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import type { OffloadPolicy, PolicyInput, PresetName } from "#lib/kernel/artifacts/offload-presets.ts";
import type { ArtifactBackend } from "#lib/kernel/tools/artifact-backend.ts";
import { messageOf } from "#lib/kernel/tools/executed-call.ts";
import type { KeptOutput } from "#lib/kernel/tools/keep-output.ts";
import { keepOutput } from "#lib/kernel/tools/keep-output.ts";
import { modelOutputOf } from "#lib/kernel/tools/model-output.ts";
import type { DecisionRecord } from "#lib/kernel/tools/offload-output.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { artifactTool, type ArtifactTool } from "./artifact-tool.ts";
import { folderBackend } from "./backends.ts";
import { callIdOf } from "./call-id.ts";
import { Conversation, type RecordSink } from "./conversation.ts";
import { memoryBackend } from "./in-memory-policy.ts";
import { find, textOf, type ArtifactContext } from "./in-memory-state.ts";
import { nodeHost } from "./node-host.ts";
import { noArtifact, textPage } from "./text-page.ts";

export type ArtifactKitOptions = {
  /** Which outputs are stored: a preset, or a preset with changes. `plimsoll` when absent: over 8,000 bytes. */
  readonly policy?: PresetName | PolicyInput;
  /** Stores in the `sessionState` of this; in an object of its own when absent. */
  readonly context?: ArtifactContext;
  /** Stores in a folder instead, as files of one session. */
  readonly folder?: { readonly store: ArtifactStore; readonly session: string };
  /** Takes what happens in the loop, stored outputs whole. */
  readonly recorder?: RecordSink;
  /** More tools that read artifacts back: those of a running Plimsoll. */
  readonly readTools?: readonly ArtifactTool[];
  /** Reads an artifact that is not stored here; null where it is not there either. */
  readonly readElsewhere?: (artifact_id: string, start: object) => Promise<string | null>;
  readonly onDecision?: (decision: DecisionRecord) => void;
};

/** A call of a tool, as far as a framework tells of it. */
export type CallOfTool = {
  readonly toolName: string;
  /** A new one when absent or empty. */
  readonly toolCallId?: string | undefined;
  readonly input?: unknown;
  readonly isError?: boolean;
};

export type OffloadedOutput = {
  /** The output as it was, or with an envelope in the place of its text. */
  readonly output: unknown;
  /** The text that the model sees. */
  readonly text: string;
  readonly isError: boolean;
  /** Null where the output could not even be read; it is then as it was. */
  readonly decision: DecisionRecord | null;
};

export class ArtifactKit {
  /** For the model: `artifact_read`, and those of a running Plimsoll. */
  readonly tools: readonly ArtifactTool[];
  /** Null without a recorder. */
  readonly conversation: Conversation | null;
  readonly #backend: ArtifactBackend;
  readonly #policy: OffloadPolicy;
  readonly #options: ArtifactKitOptions;

  constructor(options: ArtifactKitOptions = {}) {
    const { folder, context = { sessionState: {} }, policy, recorder, readTools = [] } = options;
    this.#options = options;
    this.#policy = policyOf(policy);
    this.conversation = recorder === undefined ? null : new Conversation(recorder);
    this.#backend = folder === undefined ? memoryBackend(context) : folderBackend(folder.store, folder.session);
    const read = async (id: string): Promise<string | null> => {
      if (folder !== undefined) return folder.store.retrieve(id, folder.session);
      const held = find(context, id);
      return held === null ? null : textOf(context, held);
    };
    this.tools = [readTool(read, options.readElsewhere), ...readTools];
  }

  /** What the model is to see of an output. Never rejects: an output that cannot be stored is cut, with a notice. */
  async offload(output: unknown, call: CallOfTool): Promise<OffloadedOutput> {
    const { toolName } = call;
    const callId = callIdOf(call.toolCallId || this.conversation?.openCall(toolName, call.input));
    try {
      const made = modelOutputOf(output);
      const isError = made.isError || call.isError === true;
      const kept = await this.#keep({ text: made.text, isError, callId, toolName });
      const isShorter = kept.content !== made.text;
      this.conversation?.toolResult({
        ...{ id: callId, name: toolName, input: call.input, text: kept.content, isError },
        ...(isShorter && { full: made.text }),
      });
      this.#tell(kept.decision);
      return {
        output: isShorter ? made.replace(kept.content) : output,
        text: kept.content,
        isError,
        decision: kept.decision,
      };
    } catch {
      // A getter of the output threw: the tool has run, and its loop goes on with what it returned.
      return { output, text: typeof output === "string" ? output : "", isError: call.isError === true, decision: null };
    }
  }

  /** A function as it was, with what it returns offloaded. `toolCallId` says which call its arguments are of. */
  wrap<A extends readonly unknown[], R>(
    toolName: string,
    run: (...args: A) => R | Promise<R>,
    toolCallId: (...args: A) => string | undefined = () => undefined,
  ): (...args: A) => Promise<R> {
    return async (...args) => {
      const output = await run(...args);
      // An envelope stands in for a value of the same place: whoever asked for it is a model.
      return (await this.offload(output, { toolName, toolCallId: toolCallId(...args), input: args[0] })).output as R;
    };
  }

  /** A hook that throws is the host's to mend: the loop goes on. */
  #tell(decision: DecisionRecord): void {
    try {
      this.#options.onDecision?.(decision);
    } catch (error) {
      console.error(`onDecision failed: ${messageOf(error)}`);
    }
  }

  #keep(of: { text: string; isError: boolean; callId: string; toolName: string }): Promise<KeptOutput> {
    return keepOutput(of, {
      artifacts: this.#backend,
      policy: this.#policy,
      availableTools: this.tools.map(({ name }) => name),
      usedInputTokens: null,
      after: (ms, f) => nodeHost.after(ms, f),
      isOpen: () => true,
    });
  }
}

const readInput = z.strictObject({
  artifact_id: z.string().min(1).max(4096).describe("The artifact_id that a tool result names"),
  start_line: z.int().min(1).optional().describe("The first line to read, from 1"),
  start_char: z.int().min(0).optional().describe("The first character inside that line"),
});

const readTool = (
  read: (id: string) => Promise<string | null>,
  readElsewhere: ArtifactKitOptions["readElsewhere"],
): ArtifactTool =>
  artifactTool(
    "artifact_read",
    "Reads a stored tool output by its artifact_id. A long one comes in pages that say how to continue.",
    readInput,
    async ({ artifact_id, ...start }) => {
      const text = await read(artifact_id);
      if (text !== null) return textPage(text, start);
      return (await readElsewhere?.(artifact_id, start)) ?? noArtifact(artifact_id);
    },
  );
