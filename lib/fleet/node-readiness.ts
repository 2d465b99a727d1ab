// Whether a node reaches the parts of its fleet. Anybody who reaches its port may ask: which part is away is said, and where it is and
// why stand in the log alone.
import { fail } from "#lib/kernel/errors.ts";
import type { Fleet } from "./open-fleet.ts";

/** Whoever asks waits so long for a part, and goes elsewhere (milliseconds). */
const READY_MS = 4000;

export function readiness(fleet: Fleet): () => Promise<void> {
  /** Balancers ask each second: a reason is noted once. */
  let noted = "";
  return async () => {
    const parts = [
      { name: "PostgreSQL", label: fleet.label, asked: fleet.ask(() => fleet.sql`SELECT 1`, READY_MS) },
      { name: "S3", label: fleet.objects.label, asked: fleet.objects.check(READY_MS) },
    ];
    const answers = await Promise.allSettled(parts.map(({ asked }) => asked));
    const away = answers.flatMap((one, n) =>
      one.status === "rejected" ? [{ ...parts[n]!, why: one.reason as Error }] : [],
    );
    const reason = away.map(({ name, label, why }) => `${name} (${label}): ${why.message}`).join(" ");
    if (reason !== noted)
      console.error(reason === "" ? "This node is ready again." : `This node is not ready. ${reason}`);
    noted = reason;
    if (away.length === 0) return;
    fail(
      "timeout",
      `${away.map(({ name }) => name).join(" and ")} ${away.length === 1 ? "does" : "do"} not answer. The node's log says why.`,
    );
  };
}
