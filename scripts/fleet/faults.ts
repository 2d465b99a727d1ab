// The fault run of docs/fleet.md: npm run fleet-faults -- --minutes 10 --seed N
// It starts its own database, gateway and nodes, ends by itself, and fails where anything acknowledged is lost, doubled or renumbered.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FAULTS, runFaults, type FaultOptions } from "./fault-run.ts";
import { gatewayMissing, startGateway } from "./gateway.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    lease: { type: "string", default: "15" },
    folder: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const dir = values.folder ?? mkdtempSync(join(tmpdir(), "plimsoll-faults-"));
// Where this is run by root the database has a user of its own, who has to get in.
if (values.folder === undefined) chmodSync(dir, 0o755);
const gateway = await openGateway();
try {
  const startedAt = performance.now();
  const figures = await runFaults({
    ...{ dir: join(dir, "run"), bucket: gateway, seed: Number(values.seed), leaseSeconds: Number(values.lease) },
    seconds: Number(values.minutes) * 60,
    ...(values.verbose && { say: (line) => console.log(line) }),
  });
  console.log(
    "| fault | times | acknowledged meanwhile | requests that failed | longest wait |\n|---|---|---|---|---|",
  );
  for (const kind of FAULTS) {
    const { times, acknowledged, failed, longestMs } = figures.faults[kind];
    console.log(`| ${kind} | ${times} | ${acknowledged} | ${failed} | ${(longestMs / 1000).toFixed(1)} s |`);
  }
  const { acknowledged, failed, takeovers, sessions, sent, clocksApartMs, ended, findings } = figures;
  console.log(
    `\n${((performance.now() - startedAt) / 60_000).toFixed(1)} min, seed ${values.seed}: ${acknowledged} acknowledged, ${failed} requests failed, ${sessions} sessions of agents, ${takeovers} times taken over, ${sent} sent sessions, clocks ${(clocksApartMs / 1000).toFixed(0)} s apart.`,
  );
  if (ended > 0) console.log(`${ended} times a node ended by itself.`);
  for (const { what, session, detail } of findings) console.log(`${what}  ${session}  ${detail}`);
  console.log(findings.length === 0 ? "Nothing is lost, doubled or renumbered." : `${findings.length} findings.`);
  process.exitCode = findings.length === 0 && ended === 0 ? 0 : 1;
} finally {
  await gateway.stop?.();
  if (values.folder === undefined) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

/** That of PLIMSOLL_TEST_BUCKET (s3+http://KEY:SECRET@host), else one of its own. */
async function openGateway(): Promise<FaultOptions["bucket"] & { stop?(): Promise<void> }> {
  const given = process.env["PLIMSOLL_TEST_BUCKET"];
  if (given !== undefined) {
    const at = new URL(given);
    return { endpoint: `http://${at.host}`, keys: [at.username, at.password] };
  }
  const missing = gatewayMissing();
  if (missing !== null) throw new Error(`The fault run needs a gateway: ${missing}`);
  return startGateway(join(dir, "ceph"));
}
