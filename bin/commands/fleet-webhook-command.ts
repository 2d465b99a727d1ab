// `plimsoll fleet webhook`: the addresses that a fleet sends what happens to. A node of it sends.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { fleetWebhooks } from "#lib/fleet/webhooks/fleet-webhooks.ts";
import { systemHost } from "../system-host.ts";
import type { Words } from "./args.ts";
import { runWebhooks } from "./webhook-command.ts";

export const webhook = (fleet: Fleet, words: Words): Promise<number | void> =>
  runWebhooks(words, words.args.slice(1), fleetWebhooks(fleet, systemHost()), "plimsoll fleet webhook");
