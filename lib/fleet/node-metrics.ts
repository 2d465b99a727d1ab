// Figures of a node in Prometheus' format: what waits, what was read, how large the cache is, and the process itself.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Fleet } from "./open-fleet.ts";
import { viewsLeft } from "./outdated-views.ts";

export type NodeMetrics = {
  catalogued(result: "done" | "superseded" | "failed", seconds: number): void;
  opened(seconds: number): void;
  text(): Promise<{ readonly contentType: string; readonly text: string }>;
};

export function nodeMetrics(fleet: Fleet, cacheBytes: () => number): NodeMetrics {
  const { sql, ask } = fleet;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "plimsoll_" });
  const commits = new Gauge({
    registers,
    name: "plimsoll_commits",
    help: "Commits of the fleet by state",
    labelNames: ["state"],
  });
  const outdated = new Gauge({
    registers,
    name: "plimsoll_outdated_families",
    help: "Families whose views an older version wrote",
  });
  const up = new Gauge({ registers, name: "plimsoll_database_up", help: "1 where the fleet's database answers" });
  const cache = new Gauge({
    registers,
    name: "plimsoll_cache_bytes",
    help: "Bytes of the sessions in this node's cache",
  });
  const read = new Counter({
    registers,
    name: "plimsoll_catalogued_total",
    help: "Commits that this node read",
    labelNames: ["result"],
  });
  const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
  const reading = new Histogram({
    registers,
    name: "plimsoll_catalogue_seconds",
    help: "Time to read one commit",
    buckets: seconds,
  });
  const opening = new Histogram({
    registers,
    name: "plimsoll_open_seconds",
    help: "Time to bring a session here",
    buckets: seconds,
  });
  return {
    catalogued(result, time) {
      read.inc({ result });
      reading.observe(time);
    },
    opened: (time) => opening.observe(time),
    async text() {
      cache.set(cacheBytes());
      try {
        const rows = await ask(
          () => sql<{ state: string; n: number }[]>`SELECT state, count(*) AS n FROM commits GROUP BY 1`,
        );
        for (const state of ["waiting", "claimed", "done", "superseded", "failed"])
          commits.set({ state }, rows.find((row) => row.state === state)?.n ?? 0);
        outdated.set((await viewsLeft(fleet)).outdated);
        up.set(1);
      } catch {
        // Figures of the node itself are wanted most then.
        up.set(0);
      }
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}
