// Three nodes, eight writers and four senders, and what goes wrong at random meanwhile. At the end all that was acknowledged is looked
// for: through the nodes as they are, and through one that has nothing of its own.
import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { testHost } from "#lib/archive/testing-archive.ts";
import { migrateFleet } from "#lib/fleet/migrate-fleet.ts";
import { openFleet, type Fleet } from "#lib/fleet/open-fleet.ts";
import { createFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import { random as randomOf } from "../bench/generate-sessions.ts";
import { ensureBundle } from "../bundle.mjs";
import { faultyGateway } from "./fault-gateway.ts";
import { sender, writer, type Clients } from "./fault-clients.ts";
import { Ledger, type Finding, type Found } from "./fault-ledger.ts";
import { faultNode, type FaultNode } from "./fault-nodes.ts";
import { startPostgres } from "./postgres.ts";

export type FaultOptions = {
  readonly dir: string;
  readonly bucket: { readonly endpoint: string; readonly keys: readonly [string, string] };
  readonly seconds: number;
  readonly seed: number;
  readonly leaseSeconds: number;
  readonly writers?: number;
  readonly senders?: number;
  readonly say?: (line: string) => void;
};

export const FAULTS = ["kill", "pause", "restart", "cut", "refuse", "slow", "late"] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultFigures = {
  /** By kind: how often, what was acknowledged meanwhile, requests that failed, and the longest wait for an acknowledgement. */
  readonly faults: Readonly<Record<Fault, { times: number; acknowledged: number; failed: number; longestMs: number }>>;
  readonly acknowledged: number;
  readonly failed: number;
  readonly takeovers: number;
  readonly sessions: number;
  readonly sent: number;
  readonly clocksApartMs: number;
  /** Nodes that ended although nobody killed them. */
  readonly ended: number;
  readonly findings: readonly Finding[];
};

const NODES = 3;

export async function runFaults(options: FaultOptions): Promise<FaultFigures> {
  const { dir, seconds, seed, leaseSeconds, say = () => undefined } = options;
  const random = randomOf(seed);
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  // A node starts in a second then, from its sources in ten where the machine is busy.
  await ensureBundle();
  const postgres = await startPostgres(join(dir, "database"), { persistent: true });
  const gateway = await faultyGateway(options.bucket.endpoint, randomOf(seed + 1));
  const [key, secret] = options.bucket.keys;
  const bucketAt = (endpoint: string): string =>
    `${endpoint.replace("http:", "s3+http:").replace("//", `//${key}:${secret}@`)}/faults-${process.pid}-${seed}`;
  const fleet = openFleet({ database: postgres.url, bucket: bucketAt(options.bucket.endpoint) });
  const clocks: number[] = [];
  const env = {
    PLIMSOLL_DATABASE: postgres.url,
    PLIMSOLL_BUCKET: bucketAt(gateway.endpoint),
    PLIMSOLL_LEASE_SECONDS: String(leaseSeconds),
  };
  // A minute apart: none of it may decide anything.
  const clock = (): number => {
    clocks.push((random() - 0.5) * 120_000);
    return clocks.at(-1)!;
  };
  const nodes = Array.from({ length: NODES }, (_, n) => faultNode(dir, `node-${n + 1}`, env, clock));
  const stop = new AbortController();
  try {
    await fleet.objects.ensure();
    await migrateFleet(fleet);
    const { token } = await createFleetToken(
      fleet,
      { project: "faults", scope: "write", name: "faults" },
      { who: "faults", address: "faults" },
    );
    for (const node of nodes) await node.start();
    const ledger = new Ledger();
    const counts = { acknowledged: 0, failed: 0, longestMs: 0 };
    let answeredAt = performance.now();
    const clients: Clients = {
      ...{ ledger, token, signal: stop.signal, timeoutMs: leaseSeconds * 2000 + 5000 },
      random: randomOf(seed + 2),
      urls: () => nodes.flatMap(({ url }) => (url === null ? [] : [url])),
      onAnswer(isAcknowledged, what) {
        if (!isAcknowledged) {
          counts.failed++;
          say(`  failed: ${what}`);
          return;
        }
        counts.acknowledged++;
        counts.longestMs = Math.max(counts.longestMs, performance.now() - answeredAt);
        answeredAt = performance.now();
      },
    };
    const archives = await Promise.all(
      Array.from({ length: options.senders ?? 4 }, (_, n) =>
        openArchive({ dir: join(dir, `laptop-${n}`), host: testHost() }),
      ),
    );
    const everyMs = Math.min(3000, seconds * 50);
    const work = [
      ...Array.from({ length: options.writers ?? 8 }, (_, n) => writer(clients, n)),
      ...archives.map((archive, n) => sender(clients, archive, join(dir, `logs-${n}`), n, everyMs)),
    ];
    const working = Promise.all(work);
    working.catch(() => stop.abort());
    const figures = Object.fromEntries(
      FAULTS.map((kind) => [kind, { times: 0, acknowledged: 0, failed: 0, longestMs: 0 }]),
    ) as FaultFigures["faults"];
    const end = performance.now() + seconds * 1000;
    const long = Math.min(1, seconds / 120);
    while (performance.now() < end && !stop.signal.aborted) {
      const kind = FAULTS[Math.floor(random() * FAULTS.length)]!;
      const node = nodes[Math.floor(random() * NODES)]!;
      const before = { ...counts };
      counts.longestMs = 0;
      for (const one of nodes) if (one.url === null) await one.start();
      say(
        `${((end - performance.now()) / 1000).toFixed(0)} s left: ${kind} ${kind === "kill" || kind === "pause" ? node.name : ""}`,
      );
      await doFault(kind, { node, fleet, postgres, gateway, random, long, leaseSeconds });
      // What it held up may be answered afterwards.
      await setTimeout((1000 + random() * 4000) * long);
      const own = figures[kind];
      own.times++;
      own.acknowledged += counts.acknowledged - before.acknowledged;
      own.failed += counts.failed - before.failed;
      own.longestMs = Math.max(own.longestMs, Math.round(Math.max(counts.longestMs, performance.now() - answeredAt)));
    }
    // What is under way has its time to end, with all well.
    await setTimeout(Math.min(5000, leaseSeconds * 1000));
    stop.abort();
    await working;
    for (const archive of archives) await closeArchive(archive);
    const [taken] = await fleet.sql<
      { n: number }[]
    >`SELECT coalesce(sum(fence - 1), 0)::float8 AS n FROM held_sessions`;
    const findings = [...ledger.said(), ...(await lookForAll({ ledger, fleet, nodes, token, leaseSeconds, say }))];
    return {
      ...{ faults: figures, findings, acknowledged: ledger.acknowledged, failed: counts.failed },
      ...{ takeovers: taken!.n, sessions: ledger.sessions().length, sent: ledger.sent().length },
      ended: nodes.reduce((sum, node) => sum + node.ended, 0),
      clocksApartMs: Math.round(Math.max(...clocks) - Math.min(...clocks)),
    };
  } finally {
    stop.abort();
    for (const node of nodes) await node.kill();
    await fleet.close();
    await gateway.close();
    await postgres.stop();
  }
}

type Doing = {
  readonly node: FaultNode;
  readonly fleet: Fleet;
  readonly postgres: Awaited<ReturnType<typeof startPostgres>>;
  readonly gateway: Awaited<ReturnType<typeof faultyGateway>>;
  readonly random: () => number;
  /** Of a run of ten minutes 1, of a shorter one less. */
  readonly long: number;
  readonly leaseSeconds: number;
};

async function doFault(
  kind: Fault,
  { node, fleet, postgres, gateway, random, long, leaseSeconds }: Doing,
): Promise<void> {
  switch (kind) {
    case "kill":
      await node.kill();
      await setTimeout((500 + random() * 5000) * long);
      return node.start();
    case "pause":
      node.pause();
      // Past the end of its lease by half a minute, in a long run.
      await setTimeout(leaseSeconds * 1000 + (500 + random() * 500) * (1 + 60 * (long < 1 ? 0 : 1)));
      return node.resume();
    case "restart":
      await postgres.stop();
      await setTimeout(random() * 3000 * long);
      return postgres.start();
    case "cut":
      for (let n = 0; n < 3; n++) {
        await fleet.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()`.catch(
          () => undefined,
        );
        await setTimeout(random() * 1000 * long);
      }
      return;
    default:
      gateway.mood = kind;
      await setTimeout((2000 + random() * 6000) * long);
      gateway.mood = "well";
  }
}

type Looking = {
  readonly ledger: Ledger;
  readonly fleet: Fleet;
  readonly nodes: readonly FaultNode[];
  readonly token: string;
  readonly leaseSeconds: number;
  readonly say: (line: string) => void;
};

/** Through the nodes as they are, then through one that begins with nothing. */
async function lookForAll(looking: Looking): Promise<Finding[]> {
  const { nodes, leaseSeconds, fleet, ledger, say } = looking;
  for (const node of nodes) {
    node.resume();
    if (node.url === null) await node.start();
  }
  const findings = await lookThrough(looking, nodes[0]!.url!);
  for (const end = performance.now() + 120_000; ; await setTimeout(500)) {
    const [due] = await fleet.sql<
      { n: number }[]
    >`SELECT count(*) AS n FROM commits WHERE state IN ('waiting', 'claimed')`;
    if (due!.n === 0) break;
    if (performance.now() > end) throw new Error(`${due!.n} commits were not read within two minutes`);
  }
  const failed = await fleet.sql<
    { id: string; reason: string }[]
  >`SELECT id, reason FROM commits WHERE state = 'failed'`;
  for (const { id, reason } of failed)
    findings.push({ what: "lost", session: id, detail: `a commit that failed: ${reason}` });
  for (const session of ledger.sent()) {
    const rows = await fleet.sql<{ turns: number }[]>`SELECT turns FROM sessions WHERE id = ${session}`;
    findings.push(
      ...ledger.compareSent(
        session,
        rows.map(({ turns }) => turns),
      ),
    );
  }
  say("all nodes are killed, and one begins with nothing");
  for (const node of nodes) await node.kill();
  const fresh = nodes[0]!;
  fresh.forget();
  await setTimeout(leaseSeconds * 1000 + 500);
  await fresh.start();
  return [...findings, ...(await lookThrough(looking, fresh.url!))];
}

async function lookThrough({ ledger, token, leaseSeconds }: Looking, url: string): Promise<Finding[]> {
  const headers = { authorization: `Bearer ${token}` };
  const get = async (path: string): Promise<Response> => {
    for (const end = performance.now() + leaseSeconds * 3000 + 30_000; ; await setTimeout(200)) {
      const response = await fetch(`${url}${path}`, { headers });
      if ((response.status < 500 && response.status !== 409) || performance.now() > end) return response;
      await response.body?.cancel();
    }
  };
  const findings: Finding[] = [];
  for (const session of ledger.sessions()) {
    const found: Found[] = [];
    for (let from: number | null = 1; from !== null;) {
      const response = await get(`/api/sessions/${session}/events?limit=500&from=${from}`);
      if (!response.ok) {
        findings.push({ what: "lost", session, detail: `${response.status} ${(await response.text()).slice(0, 300)}` });
        break;
      }
      const { events, next } = (await response.json()) as { events: (Marked & { seq: number })[]; next: number | null };
      for (const event of events) found.push({ session, seq: event.seq, mark: markOf(event) });
      from = next;
    }
    findings.push(...ledger.compareLog(session, found));
  }
  for (const { pointer } of ledger.outputs()) {
    const response = await get(`/api/artifacts/${pointer}/raw`);
    const bytes = Buffer.from(await response.arrayBuffer());
    findings.push(...ledger.compareOutput(pointer, response.ok ? hash("sha256", bytes, "hex") : null));
  }
  return findings;
}

type Marked = { readonly type: string; readonly text: string | null; readonly toolCallId: string | null };

/** What a writer knows an event by; null for one that it did not write. */
function markOf({ type, text, toolCallId }: Marked): string | null {
  if (type === "tool_result") return `call:${toolCallId}`;
  return type === "tool_call" ? null : (/^\[\[(.+?)\]\]/.exec(text ?? "")?.[1] ?? null);
}
