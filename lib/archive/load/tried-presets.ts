// What each preset would have done to the tool outputs that were imported.
import { query, type Columns, type RowOf } from "#db/statement.ts";
import { ENVELOPE_TOKENS } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import { PRESETS, PRESET_NAMES, type OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { ARTIFACT_TOOLS, READ_TOOLS } from "#lib/kernel/artifacts/tool-names.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import type { PresetsAnswer } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";

/** The newest tool outputs that the presets are tried on: more would be read for longer than 100 ms. */
const TRIED = 10_000;

const OUTPUT_COLUMNS = {
  toolName: "text",
  sizeBytes: "integer",
  window: "sessions.window",
  session: "sessions.pk",
} as const satisfies Columns;
type Output = RowOf<typeof OUTPUT_COLUMNS>;

/** The newest sessions first; an output that forks share counts once. */
export async function triedPresets(archive: Archive): Promise<PresetsAnswer> {
  const found = query(
    archive.sqlite,
    OUTPUT_COLUMNS,
    `SELECT coalesce(e.tool_name, '') AS toolName, coalesce(a.size, e.bytes) AS sizeBytes, s.window, s.pk AS session
     FROM (SELECT pk, window FROM sessions WHERE held = 0 ORDER BY started_at DESC LIMIT 500) s
     JOIN events e ON e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295
     LEFT JOIN artifacts a ON a.pointer = e.artifact
     WHERE e.type = 'tool_result' AND e.inherited = 0 AND e.synthetic = 0 LIMIT ${TRIED + 1}`,
  ).all();
  const outputs = found.slice(0, TRIED);
  const byWindow = Map.groupBy(outputs, ({ window }) => window);
  return {
    outputs: outputs.length,
    sessions: new Set(outputs.map(({ session }) => session)).size,
    isCapped: found.length > TRIED,
    bytes: outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    presets: PRESET_NAMES.map((preset) => {
      const sum = { offloaded: 0, offloadedBytes: 0, tokensSaved: 0 };
      for (const [window, group] of byWindow) {
        const policy = PRESETS[preset];
        const sized = window === null ? policy : { ...policy, context_window_tokens: window };
        for (const sizeBytes of thatGo(group, sized)) {
          sum.offloaded += 1;
          sum.offloadedBytes += sizeBytes;
          sum.tokensSaved += Math.max(0, estimateTokens(sizeBytes) - ENVELOPE_TOKENS.lean);
        }
      }
      return { preset, policy: PRESETS[preset], ...sum };
    }),
  };
}

/**
 * Sizes of the outputs that a preset offloads. It looks at nothing but the size, and a larger output never stays where a
 * smaller one goes: a dozen decisions find the position where 80,000 would take half a second.
 */
function thatGo(outputs: readonly Output[], policy: OffloadPolicy): number[] {
  const sizes = outputs
    .filter(({ toolName }) => !ARTIFACT_TOOLS.has(toolName))
    .map(({ sizeBytes }) => sizeBytes)
    .toSorted((a, b) => a - b);
  const situation = { policy, availableTools: READ_TOOLS, usedInputTokens: null, writesClosed: false };
  const goes = (sizeBytes: number): boolean =>
    decideOffload({ toolName: "", sizeBytes, chars: sizeBytes }, situation).action !== "inline";
  let low = 0;
  let high = sizes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (goes(sizes[middle]!)) high = middle;
    else low = middle + 1;
  }
  return sizes.slice(low);
}
