// The archive's default policy: what decides for a session that was made without one of its own.
import { policyOf, PRESETS, type OffloadPolicy, type PolicyInput } from "#lib/kernel/artifacts/offload-presets.ts";
import type { PolicyAnswer, PolicyRequest } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { renewHookPolicy } from "./hook-policy.ts";
import { POLICY_SETTING, savePolicyWrite } from "./policy-setting.ts";
import { readSetting } from "../base/setting-rows.ts";
import { write } from "../base/write.ts";

export async function readPolicy(archive: Archive): Promise<PolicyAnswer> {
  return answerOf(readSetting(archive, POLICY_SETTING) as PolicyInput | null);
}

/** Fails with `invalid`, naming each field that is wrong. Sessions that have a policy of their own keep it. */
export async function savePolicy(archive: Archive, given: PolicyRequest["policy"]): Promise<PolicyAnswer> {
  const answer = answerOf(given as PolicyInput | null);
  await write(archive, savePolicyWrite, { policy: given === null ? null : lean(answer) });
  renewHookPolicy(archive.dir, answer.policy);
  return readPolicy(archive);
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
