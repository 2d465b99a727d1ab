// Large tool outputs become artifacts of the session's state by themselves: `artifacts: { enabled, maxToolOutputBytes,
// previewChars }`, as Agentium has it. Larger means strictly larger. Off by default.
import { fail } from "#lib/kernel/errors.ts";
import { ARTIFACT_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import { policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import type { ArtifactBackend } from "#lib/kernel/tools/artifact-backend.ts";
import type { BoundedTool, CallContext } from "#lib/kernel/tools/bounded-tool.ts";
import { modelOutputOf } from "#lib/kernel/tools/model-output.ts";
import { cutText, envelopeText, measureOutput, scanText } from "#lib/kernel/tools/offload-output.ts";
import { callIdOf } from "./call-id.ts";
import type { ArtifactContext } from "./in-memory-state.ts";
import { hold } from "./in-memory-state.ts";
import { artifactTools } from "./in-memory-tools.ts";

export type ArtifactsConfig = {
  readonly enabled?: boolean;
  readonly maxToolOutputBytes?: number;
  readonly previewChars?: number;
};

/** The configuration as a policy of the kernel. */
export function policyOfConfig(config: ArtifactsConfig): OffloadPolicy {
  const { enabled = false, maxToolOutputBytes = 51_200, previewChars = 200 } = config;
  return policyOf({ preset: "agentium", enabled, max_bytes: maxToolOutputBytes, preview_chars: previewChars });
}

export type ToolOutputOf = {
  readonly toolName: string;
  /** A new one when absent or empty. */
  readonly toolCallId?: string | undefined;
  readonly output: unknown;
};

/** What the model is to see of a tool's output: the output itself, or an envelope that points to it. */
export function applyArtifactPolicy(ctx: ArtifactContext, config: ArtifactsConfig, of: ToolOutputOf): unknown {
  const policy = policyOfConfig(config);
  const { text, isError, replace } = modelOutputOf(of.output);
  const callId = callIdOf(of.toolCallId);
  const output = { text, isError, toolName: of.toolName, callId };
  const situation = { policy, availableTools: [...ARTIFACT_TOOLS], usedInputTokens: null, writesClosed: false };
  const { decision } = measureOutput(text, of.toolName, situation);
  if (decision.action !== "artifact") return of.output;
  try {
    const { facts } = scanText(text);
    const name = `${of.toolName}_${callId}`;
    const stored = store(ctx, text, name, facts.contentType, policy.preview_chars);
    return replace(envelopeText({ ...output, name }, facts, stored, policy, situation.availableTools));
  } catch (error) {
    // A state that takes no artifact does not stop the agent: the output is cut, and no pointer is shown.
    const reason = error instanceof Error ? error.message : "the state does not accept artifacts";
    return replace(cutText(output, policy, `The full output was not stored: ${reason}`));
  }
}

/** The agent's tools with the policy applied to each; with the three artifact tools added when it is enabled. */
export function withArtifacts(
  ctx: ArtifactContext,
  tools: readonly BoundedTool[],
  config: ArtifactsConfig = {},
): readonly BoundedTool[] {
  // Wrong numbers are told here, once, and not inside the agent's loop.
  policyOfConfig(config);
  if (config.enabled !== true) return tools;
  const taken = tools.find((tool) => ARTIFACT_TOOLS.has(tool.name) && tool.name !== "read_file");
  if (taken !== undefined)
    fail("conflict", `The agent has a tool "${taken.name}" already, which artifacts need. Rename yours.`);
  return [...tools.map((tool) => wrap(ctx, tool, config)), ...artifactTools(ctx)];
}

function wrap(ctx: ArtifactContext, tool: BoundedTool, config: ArtifactsConfig): BoundedTool {
  const { toModelOutput, ...rest } = tool;
  return {
    ...rest,
    // What it returns may be an envelope, and a pointer of this session is dead in the next.
    isCacheable: false,
    // Some frameworks call a tool with its arguments alone.
    async execute(input, context?: CallContext) {
      const raw = await tool.execute(input, context as CallContext);
      const output = toModelOutput === undefined ? raw : await toModelOutput.call(tool, raw);
      return applyArtifactPolicy(ctx, config, { toolName: tool.name, toolCallId: context?.call_id, output });
    },
  };
}

/** A store for BoundedToolExecutor in a session's state. */
export function memoryBackend(ctx: ArtifactContext): ArtifactBackend {
  return {
    store({ text, name, facts, previewChars }, mayCommit) {
      if (!mayCommit()) return { status: "failed", reason: "the turn was closed" };
      return store(ctx, text, name, facts.contentType, previewChars);
    },
  };
}

function store(ctx: ArtifactContext, text: string, name: string, contentType: string, previewChars: number) {
  const held = hold(ctx, text, { name, contentType, previewChars });
  return {
    status: "stored" as const,
    artifactId: held.artifactId,
    pointer: `art:${held.id}`,
    path: null,
    createdAt: new Date(held.storedAt).toISOString(),
    expiresAt: null,
  };
}
