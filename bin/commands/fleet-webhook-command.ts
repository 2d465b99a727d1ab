// `plimsoll fleet webhook`: the addresses that a fleet sends what happens to. A node of it sends.
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { fleetWebhooks } from "#lib/fleet/webhooks/fleet-webhooks.ts";
import { systemHost } from "../system-host.ts";
import type { Words } from "./args.ts";
import { byCommand } from "./fleet-words.ts";
import { runWebhooks } from "./webhook-command.ts";

export function webhook(fleet: Fleet, words: Words): Promise<number | void> {
  const webhooks = fleetWebhooks(fleet, systemHost());
  const store = { ...webhooks, remove: (name: string) => webhooks.remove(name, byCommand()) };
  return runWebhooks(words, words.args.slice(1), store, "plimsoll fleet webhook");
}
