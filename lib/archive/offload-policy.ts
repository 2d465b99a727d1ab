// The archive's default policy: what decides for a session that was made without one of its own.
import { wouldOffload } from "#lib/kernel/artifacts/offload.ts";
import { policyOf, PRESETS, PRESET_NAMES, type OffloadPolicy, type PolicyInput } from "#lib/kernel/artifacts/policy.ts";
import type { PolicyAnswer, PolicyRequest, PresetsAnswer } from "#lib/wire/settings.ts";
import type { Archive } from "./archive.ts";
import type { Batch } from "./import/batch.ts";
import { prepared } from "./import/prepared.ts";
import { putSetting, readSetting } from "./settings.ts";
import { write } from "./writer.ts";

const SETTING = "offload.policy";

/** The newest tool outputs that the presets are tried on: 10,000 of them take eight presets some 60 ms. */
const TRIED = 10_000;

export async function readPolicy(archive: Archive): Promise<PolicyAnswer> {
  return answerOf(readSetting(archive, SETTING) as PolicyInput | null);
}

/** Fails with `invalid`, naming each field that is wrong. Sessions that have a policy of their own keep it. */
export async function savePolicy(archive: Archive, given: PolicyRequest["policy"]): Promise<PolicyAnswer> {
  const answer = answerOf(given as PolicyInput | null);
  await write(archive, "savePolicy", { policy: given === null ? null : lean(answer) });
  return readPolicy(archive);
}

/** The write of savePolicy. */
export function keepPolicy(
  archive: Archive,
  _: Batch,
  { policy }: { policy: Partial<OffloadPolicy> | null },
): { policy: Partial<OffloadPolicy> | null } {
  putSetting(archive, SETTING, policy);
  return { policy };
}

function answerOf(given: PolicyInput | null): PolicyAnswer {
  const policy = policyOf(given ?? "plimsoll");
  const preset = PRESETS[policy.preset];
  const changed = (Object.keys(policy) as (keyof OffloadPolicy)[]).filter(
    (key) => JSON.stringify(policy[key]) !== JSON.stringify(preset[key]),
  );
  return { policy, changed, isSet: given !== null };
}

/** Only what differs is kept, so that a preset whose numbers move in a later release moves with it. */
const lean = ({ policy, changed }: PolicyAnswer): Partial<OffloadPolicy> => ({
  preset: policy.preset,
  ...Object.fromEntries(changed.map((key) => [key, policy[key as keyof OffloadPolicy]])),
});

type Output = { toolName: string; sizeBytes: number; window: number | null; session: number };

/** What each preset would have done to the tool outputs that were imported, newest sessions first. */
export async function triedPresets(archive: Archive): Promise<PresetsAnswer> {
  const found = prepared(
    archive.sqlite,
    `SELECT coalesce(e.tool_name, '') AS toolName, coalesce(a.size, e.bytes) AS sizeBytes, s.window, s.pk AS session
     FROM (SELECT pk, window FROM sessions WHERE held = 0 ORDER BY started_at DESC LIMIT 500) s
     JOIN events e ON e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295
     LEFT JOIN artifacts a ON a.pointer = e.artifact
     WHERE e.type = 'tool_result' AND e.inherited = 0 AND e.synthetic = 0 LIMIT ${TRIED + 1}`,
  ).all() as Output[];
  const isCapped = found.length > TRIED;
  const outputs = found.slice(0, TRIED);
  const byWindow = Map.groupBy(
    outputs.map((output) => ({ ...output, chars: output.sizeBytes })),
    (output) => output.window,
  );
  const presets = PRESET_NAMES.map((preset) => {
    const sum = { offloaded: 0, offloadedBytes: 0, tokensSaved: 0 };
    for (const [window, group] of byWindow) {
      const would = wouldOffload(group, PRESETS[preset], window);
      sum.offloaded += would.offloaded;
      sum.offloadedBytes += would.offloadedBytes;
      sum.tokensSaved += would.tokensSaved;
    }
    return { preset, policy: PRESETS[preset], ...sum };
  });
  return {
    outputs: outputs.length,
    sessions: new Set(outputs.map(({ session }) => session)).size,
    isCapped,
    bytes: outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    presets,
  };
}
