// One round of sending, in a thread of its own, on a connection that only reads: packing and masking take the processor, and
// pages and agents go on meanwhile. It ends with the round.
import { parentPort, workerData } from "node:worker_threads";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { sendSessions, type SendOptions, type SentResult } from "#lib/fleet/send-sessions.ts";
import { refusedOf, type Refused } from "./refused-error.ts";
import { systemHost } from "./system-host.ts";

export type SendingOrder = Omit<SendOptions, "signal" | "onFamily" | "onProject">;

export type FromSender =
  | { readonly type: "family"; readonly result: SentResult }
  | { readonly type: "project"; readonly project: string }
  | { readonly type: "done" }
  | { readonly type: "refused"; readonly refused: Refused };

const say = (message: FromSender): void => parentPort!.postMessage(message);
const { dir, order } = workerData as { dir: string; order: SendingOrder };

try {
  const archive = await openArchive({ dir, host: systemHost(), mode: "read" });
  try {
    await sendSessions(archive, {
      ...order,
      onFamily: (result) => say({ type: "family", result }),
      onProject: (project) => say({ type: "project", project }),
    });
    say({ type: "done" });
  } finally {
    await closeArchive(archive);
  }
} catch (error) {
  say({ type: "refused", refused: refusedOf(error) });
}
