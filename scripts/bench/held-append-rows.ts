// Appends to sessions that agents write: eight writers over three nodes with a real database and gateway, against eight writers at one
// server with its own disk. Nodes, database and gateway share the two cores.
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { migrateFleet } from "#lib/fleet/migrate-fleet.ts";
import { openFleet } from "#lib/fleet/open-fleet.ts";
import { createFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { faultNode, type FaultNode } from "../fleet/fault-nodes.ts";
import { gatewayMissing, startGateway } from "../fleet/gateway.ts";
import { startPostgres } from "../fleet/postgres.ts";
import { ms, skipped, times, verdict, type Row } from "./table.ts";

const WHAT = "append to a held session, eight writers over three nodes, p99";
const TARGET = "≤ 50 ms, ≥ 0.3 × one node on its own disk";
const WRITERS = 8;
const APPENDS = 150;
/** Not counted: sessions begin, code is compiled. */
const WARM = 20;

type Appended = { readonly p99: number; readonly median: number; readonly perSecond: number };

export async function heldAppendRows(work: string): Promise<Row[]> {
  const missing = gatewayMissing();
  if (missing !== null) return [skipped(WHAT, TARGET, missing)];
  const dir = join(work, "held");
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const own = await oneNode(dir);
  const fleet = await threeNodes(dir);
  const ratio = fleet.perSecond / own.perSecond;
  return [
    {
      what: WHAT,
      measured: `${ms(fleet.p99)}, median ${ms(fleet.median)}, ${Math.round(fleet.perSecond)} a second`,
      against: `${ms(own.p99)}, median ${ms(own.median)}, ${Math.round(own.perSecond)} a second`,
      ratio: times(ratio),
      target: TARGET,
      verdict: verdict(fleet.p99 <= 50, ratio >= 0.3),
    },
  ];
}

async function oneNode(dir: string): Promise<Appended> {
  const node = faultNode(dir, "alone", {}, () => 0);
  await node.start();
  try {
    return await appendAll([node], node.token!);
  } finally {
    await node.end();
  }
}

async function threeNodes(dir: string): Promise<Appended> {
  const postgres = await startPostgres(join(dir, "database"));
  const gateway = await startGateway(join(dir, "ceph"));
  const [key, secret] = gateway.keys;
  const bucket = `${gateway.endpoint.replace("http:", "s3+http:").replace("//", `//${key}:${secret}@`)}/held`;
  const fleet = openFleet({ database: postgres.url, bucket });
  const env = { PLIMSOLL_DATABASE: postgres.url, PLIMSOLL_BUCKET: bucket };
  const nodes = ["one", "two", "three"].map((name) => faultNode(dir, name, env, () => 0));
  try {
    await fleet.objects.ensure();
    await migrateFleet(fleet);
    const { token } = await createFleetToken(
      fleet,
      { project: "bench", scope: "write", name: "bench" },
      { who: "bench", address: "bench" },
    );
    for (const node of nodes) await node.start();
    return await appendAll(nodes, token);
  } finally {
    for (const node of nodes) await node.end();
    await fleet.close();
    await gateway.stop();
    await postgres.stop();
  }
}

/** Each writer has a session at a node of its own, and waits for each answer. */
async function appendAll(nodes: readonly FaultNode[], token: string): Promise<Appended> {
  const took: number[] = [];
  let from = 0;
  const ready: (() => void)[] = [];
  const post = async (url: string, path: string, body: object): Promise<{ id?: string }> => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as { id?: string };
  };
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      const { url } = nodes[n % nodes.length]!;
      const { id } = await post(url!, "/api/sessions", { id: `bench-${n}` });
      for (let at = 0; at < WARM + APPENDS; at++) {
        if (at === WARM) {
          const gate = once(AbortSignal.timeout(60_000), "abort");
          const all = new Promise<void>((go) => ready.push(go));
          if (ready.length === WRITERS) {
            from = performance.now();
            for (const go of ready) go();
          }
          await Promise.race([all, gate]);
        }
        const body = { type: at % 2 === 0 ? "user" : "assistant", text: `event ${at} ${"word ".repeat(100)}` };
        const startedAt = performance.now();
        await post(url!, `/api/sessions/${id}/events`, {
          records: [{ record: "event", uuid: `u${at}`, startsTurn: at % 2 === 0, body }],
        });
        if (at >= WARM) took.push(performance.now() - startedAt);
      }
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  const sorted = took.toSorted((a, b) => a - b);
  return {
    p99: sorted[Math.floor(sorted.length * 0.99)]!,
    median: sorted[sorted.length >> 1]!,
    perSecond: took.length / seconds,
  };
}
