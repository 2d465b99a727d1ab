// Where the default policy is kept, and the write that keeps it: apart from the verbs, which ask for writes.
import { policyOf, type OffloadPolicy, type PolicyInput } from "#lib/kernel/artifacts/offload-presets.ts";
import { requireSeen } from "#lib/kernel/require-seen.ts";
import type { PolicyRequest } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

export const POLICY_SETTING = "offload.policy";

/** What was set, as it is kept; null for the default. */
export const storedPolicy = (archive: Archive): Partial<OffloadPolicy> | null =>
  readSetting(archive, POLICY_SETTING) as Partial<OffloadPolicy> | null;

/** Fails where what is kept is not what whoever saves another was shown. */
export const requirePolicySeen = (kept: PolicyRequest["policy"], seen: OffloadPolicy | undefined): void =>
  requireSeen("The values of the offload policy", policyOf((kept ?? "plimsoll") as PolicyInput), seen);

type Saved = { readonly policy: Partial<OffloadPolicy> | null; readonly seen?: OffloadPolicy | undefined };

/** The write of savePolicy. */
export function keepPolicy(archive: Archive, _: Batch, { policy, seen }: Saved): null {
  requirePolicySeen(storedPolicy(archive), seen);
  putSetting(archive, POLICY_SETTING, policy);
  return null;
}

export const savePolicyWrite = defineWrite("savePolicy", keepPolicy);
