import { readPolicy, savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { route } from "#lib/http/route.ts";
import { policyRequest } from "#lib/wire/settings-schema.ts";

export const GET = route({ run: ({ slot }) => readPolicy(slot.archive) });

export const PUT = route({ body: policyRequest, run: ({ slot, body }) => savePolicy(slot.archive, body.policy) });
