// Large outputs among what goes on, as envelopes: the bytes are stored, and the agent reads them back over MCP.
import { contentEnvelope } from "#lib/kernel/artifacts/content-envelope.ts";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { artifactIdOf, utf8Size } from "#lib/kernel/artifacts/pointer.ts";
import { READ_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { scanText } from "#lib/kernel/tools/offload-output.ts";
import type { Archive } from "../base/archive-type.ts";
import { contentIdOf } from "../artifacts/add-artifact.ts";
import { requireLive, resolveArtifact } from "../artifacts/resolve.ts";
import { countText } from "../memory/count-text.ts";
import { presentTokens, type ContextRow } from "../memory/context-rows.ts";
import { readPolicy } from "../settings/offload-policy.ts";

export type ReplacedOutput = { readonly toolCallId: string; readonly text: string; readonly tokens: number };

/** By seq. */
export type ReplacedOutputs = ReadonlyMap<number, ReplacedOutput>;

/** The tools of `plimsoll mcp`. */
const MCP_TOOLS = READ_TOOLS.filter((name) => name.startsWith("artifact_"));

export async function replacedOutputs(
  archive: Archive,
  pk: number,
  { rows, texts }: { readonly rows: readonly ContextRow[]; readonly texts: ReadonlyMap<number, string> },
  over: number | undefined,
): Promise<ReplacedOutputs> {
  const { policy: own } = await readPolicy(archive);
  const policy: OffloadPolicy = over === undefined ? own : { ...own, max_bytes: over };
  const replaced = new Map<number, ReplacedOutput>();
  for (const row of rows) {
    const { body, artifact, seq } = row;
    if (body.type !== "tool_result" || body.toolCallId === null || artifact === null || body.saw !== "full") continue;
    const whole = texts.get(seq) ?? body.text;
    const text = envelopeFor(archive, row, whole, policy);
    if (text === null) continue;
    const { tokens } = await countText(archive, pk, text, "result");
    if (tokens < presentTokens(row)) replaced.set(seq, { toolCallId: body.toolCallId, text, tokens });
  }
  return replaced;
}

function envelopeFor(archive: Archive, row: ContextRow, text: string, policy: OffloadPolicy): string | null {
  const toolName = row.toolName ?? "tool";
  const output = { toolName, sizeBytes: utf8Size(text), chars: null, isEnvelope: isEnvelope(text) };
  const situation = { policy, availableTools: MCP_TOOLS, usedInputTokens: null, writesClosed: false };
  if (decideOffload(output, situation).action !== "artifact") return null;
  try {
    const stored = requireLive(archive, resolveArtifact(archive, row.artifact!), row.artifact!);
    return contentEnvelope(
      scanText(text).facts,
      {
        artifactId: contentIdOf(archive, stored.digest) ?? artifactIdOf(stored.digest),
        pointer: stored.pointer,
        toolName,
        name: stored.name,
        contentType: stored.content_type,
        isError: row.body.type === "tool_result" && row.body.isError,
        availableTools: MCP_TOOLS,
        createdAt: new Date(stored.created_at).toISOString(),
        expiresAt: stored.expires_at === null ? null : new Date(stored.expires_at).toISOString(),
      },
      policy,
    );
  } catch (error) {
    // Deleted or expired: then the text itself goes on.
    if (isAppError(error)) return null;
    throw error;
  }
}
