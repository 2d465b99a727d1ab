// Where the default policy is kept, and the write that keeps it: apart from the verbs, which ask for writes.
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

export const POLICY_SETTING = "offload.policy";

type KeptPolicy = { readonly policy: Partial<OffloadPolicy> | null };

/** The write of savePolicy. */
export function keepPolicy(archive: Archive, _: Batch, { policy }: KeptPolicy): KeptPolicy {
  putSetting(archive, POLICY_SETTING, policy);
  return { policy };
}

export const savePolicyWrite = defineWrite("savePolicy", keepPolicy);
