// The archive's default policy: what decides for a session that was made without one of its own.
import { policyOf, PRESETS, type OffloadPolicy, type PolicyInput } from "#lib/kernel/artifacts/offload-presets.ts";
import type { PolicyAnswer, PolicyRequest } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { renewHookPolicy } from "./hook-policy.ts";
import { savePolicyWrite, storedPolicy } from "./policy-setting.ts";
import { write } from "../base/write.ts";

export async function readPolicy(archive: Archive): Promise<PolicyAnswer> {
  return answerOf(storedPolicy(archive) as PolicyInput | null);
}

/** Fails with `invalid`, naming each field that is wrong. Sessions that have a policy of their own keep it. */
export async function savePolicy(
  archive: Archive,
  given: PolicyRequest["policy"],
  seen?: OffloadPolicy,
): Promise<PolicyAnswer> {
  const policy = leanPolicy(given);
  await write(archive, savePolicyWrite, { policy, seen });
  renewHookPolicy(archive.dir, answerOf(policy as PolicyInput | null).policy);
  return readPolicy(archive);
}

/** A policy as it is kept: only what differs, so that a preset whose numbers move in a later release moves with it. */
export const leanPolicy = (given: PolicyRequest["policy"]): Partial<OffloadPolicy> | null =>
  given === null ? null : lean(answerOf(given as PolicyInput));

function answerOf(given: PolicyInput | null): PolicyAnswer {
  const policy = policyOf(given ?? "plimsoll");
  const preset = PRESETS[policy.preset];
  const changed = (Object.keys(policy) as (keyof OffloadPolicy)[]).filter(
    (key) => JSON.stringify(policy[key]) !== JSON.stringify(preset[key]),
  );
  return { policy, changed, isSet: given !== null };
}

const lean = ({ policy, changed }: PolicyAnswer): Partial<OffloadPolicy> => ({
  preset: policy.preset,
  ...Object.fromEntries(changed.map((key) => [key, policy[key as keyof OffloadPolicy]])),
});
