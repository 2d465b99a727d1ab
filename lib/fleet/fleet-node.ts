// A server as a node of a fleet: it takes senders' commits, reads those that wait, lists from the database, and brings sessions here
// that somebody opens.
import { setTimeout } from "node:timers/promises";
import { RETRY_MS } from "#lib/archive/settings/send-delivery.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { CommitAnswer, CommitRequest, MissingAnswer, MissingRequest } from "#lib/wire/fleet-schema.ts";
import type { SessionsAnswer, SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { join } from "node:path";
import { catalogueNext, fetchFolder, type Reader } from "./catalogue.ts";
import { readCommit, receiveCommit } from "./commits.ts";
import { keepCounts } from "./list/kept-counts.ts";
import { goneOf, lackingOf } from "./lacking-families.ts";
import { listFleetSessions } from "./list-fleet-sessions.ts";
import { besideSessions } from "./beside-sessions.ts";
import { familiesInUse } from "./families-in-use.ts";
import { heldNode, type HeldNode, type HeldOptions } from "./held/held-node.ts";
import type { NodeAddress } from "./held/node-list.ts";
import type { Fleet } from "./open-fleet.ts";
import type { DeletedBy } from "./people/audit.ts";
import type { IdentityProvider } from "./people/identity-provider.ts";
import { nodePeople, type NodePeople } from "./people/node-people.ts";
import { fleetAnswers, type FleetAnswers } from "./answers/fleet-answers.ts";
import { recomputeNext } from "./outdated-views.ts";
import { nodeRetention, type NodeRetention } from "./retention/node-retention.ts";
import { GRACE_DAYS } from "./retention/sweep-fleet.ts";
import { BY_RETENTION, tombstoneAgainst, tombstoneText } from "./retention/tombstones.ts";
import { sumDay } from "./usage-quarters.ts";
import { sessionCache, type Opened } from "./session-cache.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { adoptWebhooks } from "./webhooks/adopt-webhooks.ts";
import { fleetDefaults, type FleetDefaults } from "./models/fleet-defaults.ts";
import { fleetModels, type FleetModels } from "./models/fleet-models.ts";
import { fleetWebhooks, type FleetWebhooks } from "./webhooks/fleet-webhooks.ts";
import { readiness } from "./node-readiness.ts";
import { sendFleetWebhooks, type FleetSender } from "./webhooks/send-fleet-webhooks.ts";
import { visibleAmong, type Projects } from "./visible-projects.ts";
import { missingOf, objectName } from "./stored-objects.ts";

/** A signed PUT may be used for so long (seconds). */
const SIGNED_SECONDS = 900;
/** How often commits are looked for (milliseconds), and after a failure. */
const POLL_MS = 1000;
const AWAY_MS = 5000;
/** Changes of the list that are counted while commits wait: a page reads them one by one until then. */
const COUNTED = 500;

export type FleetNode = {
  readonly people: NodePeople;
  missing(request: MissingRequest): Promise<MissingAnswer>;
  /** `person`: whose sessions they are, where that is known. */
  commit(request: CommitRequest, person?: string | null): Promise<CommitAnswer>;
  readCommit(project: string, id: string, visible: Projects): Promise<CommitAnswer>;
  listSessions(query: SessionsQuery, visible: Projects): Promise<SessionsAnswer>;
  /** What the other pages across sessions are answered with. */
  readonly answers: FleetAnswers;
  /** Brings a session of the fleet into this node's archive; fails where it is not in these projects. */
  ensure(name: string, visible: Projects): Promise<Pick<Opened, "id" | "project">>;
  /** Keeps a session here that `ensure` brought, while a request about it goes on: until the function is called. */
  keepOpen(id: string): () => void;
  /** Those of the sessions that are in these projects. */
  visibleAmong(sessions: readonly string[], visible: Projects): Promise<string[]>;
  /** What is deleted, and how long projects keep what they have. */
  readonly retention: NodeRetention;
  /** The sessions that agents write. */
  readonly held: HeldNode;
  readonly webhooks: FleetWebhooks;
  /** Windows and prices that somebody set. */
  readonly models: FleetModels;
  /** The offload policy of new sessions, and the level of warnings. */
  readonly defaults: FleetDefaults;
  /** Something that was kept beside a session, and is in its log or the archive of this node, was deleted. */
  noteDeletion(by: DeletedBy, session: string, what: string): Promise<void>;
  /** Fails with the name of the part of the fleet that does not answer. */
  ready(): Promise<void>;
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Reads commits, tends what agents write, and sends to webhooks, until it is closed. Other nodes reach it at this address. */
  run(address: NodeAddress, link?: (session: string) => string | null): Promise<void>;
  close(): Promise<void>;
};

export type NodeReader = Omit<Reader, "inUse" | "onImported" | "onFetched" | "holds" | "makeRoom">;

export function fleetNode(
  fleet: Fleet,
  { archive, importBundle, judge }: NodeReader,
  cacheBytes: number,
  now: () => number = Date.now,
  provider: IdentityProvider | null = null,
  holding: HeldOptions = {},
  graceDays: number = GRACE_DAYS,
): FleetNode {
  const inUse = familiesInUse();
  const beside = besideSessions(fleet, archive);
  const held = heldNode(fleet, { archive, importBundle, inUse }, beside.ship, holding);
  const { holds } = held;
  const cache = sessionCache(fleet, { archive, importBundle, inUse, holds }, cacheBytes, beside, now);
  const retention = nodeRetention(fleet, cache, held, graceDays);
  const metrics = nodeMetrics(fleet, () => cache.bytes());
  const { makeRoom, note: onFetched } = cache;
  const onImported = beside.forget;
  const reader: Reader = { archive, importBundle, inUse, judge, holds, onImported, makeRoom, onFetched };
  const people = nodePeople(fleet, { now, provider, auditFile: join(fetchFolder(archive), "audit.jsonl") });
  const models = fleetModels(fleet, archive);
  const stop = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  let sender: FleetSender | null = null;

  async function catalogueAll(): Promise<void> {
    while (!stop.signal.aborted) {
      let pause = POLL_MS;
      try {
        const startedAt = performance.now();
        const result = await catalogueNext(fleet, reader);
        if (result !== null) {
          metrics.catalogued(result, (performance.now() - startedAt) / 1000);
          pause = 0;
        }
        // A commit that arrives meanwhile waits for one family at most.
        else if ((await recomputeNext(fleet, reader)) !== null) pause = 0;
        // Also where nothing was read: what was open is not any more.
        await cache.evict();
        await people.audit.flush();
        // Between commits too: a report reads each session of a day that is behind.
        if (await sumDay(fleet)) pause = 0;
        await keepCounts(fleet, pause > 0 ? 1 : COUNTED);
      } catch (error) {
        if (!isAppError(error)) console.error("The fleet's commits were not read:", error);
        pause = AWAY_MS;
      }
      if (pause > 0) await setTimeout(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    held,
    people,
    retention,
    models,
    defaults: fleetDefaults(fleet, archive),
    webhooks: fleetWebhooks(fleet, archive.host),
    async missing({ objects, family, fresh, sent = [] }) {
      if (family !== undefined) {
        const { project, sessions, bytes } = family;
        const found = await fleet.ask(() => tombstoneAgainst(fleet.sql, project, sessions, bytes));
        if (found !== null)
          return {
            project,
            missing: [],
            lacking: [],
            gone: [],
            deleted: { reason: tombstoneText(found), isOver: found.by === BY_RETENTION },
          };
      }
      const missing = await missingOf(fleet, objects, { fresh });
      const signedRequests = await Promise.all(
        missing.map(async (one) => {
          const signed = await fleet.objects.signPut(objectName(one), one.digest, SIGNED_SECONDS);
          if (signed === null)
            return fail("unsupported", `${fleet.objects.label} accepts no uploads of senders. Use a bucket.`);
          return { digest: one.digest, url: signed.url, headers: { ...signed.headers } };
        }),
      );
      const [lacking, gone] =
        family === undefined
          ? [[], []]
          : await Promise.all([lackingOf(fleet, family.project, sent), goneOf(fleet, family.project, sent)]);
      return { project: family?.project ?? null, missing: signedRequests, lacking, gone, deleted: null };
    },
    commit: (request, person) => receiveCommit(fleet, request, person),
    readCommit: (project, id, visible) => readCommit(fleet, project, id, visible),
    listSessions: (query, visible) =>
      listFleetSessions(fleet, query, visible, { now: archive.host.now(), searcher: archive.searcher }),
    answers: fleetAnswers(fleet, archive),
    async ensure(name, visible) {
      const startedAt = performance.now();
      const opened = await cache.ensure(name, visible);
      if (opened.isFetched) metrics.opened((performance.now() - startedAt) / 1000);
      return opened;
    },
    keepOpen: cache.keepOpen,
    visibleAmong: (sessions, visible) => visibleAmong(fleet, sessions, visible),
    async noteDeletion({ who, address }, session, what) {
      const [row] = await fleet.ask(
        () => fleet.sql<{ project: string }[]>`SELECT project FROM sessions WHERE id = ${session}
          UNION ALL SELECT project FROM held_sessions WHERE session = ${session} LIMIT 1`,
      );
      // One that is this node's alone is nobody else's.
      if (row === undefined) return;
      await people.audit.note({ who, address, action: "delete", project: row.project, session, detail: what });
    },
    ready: readiness(fleet),
    metrics: () => metrics.text(),
    async run(address, link = () => null) {
      loop = catalogueAll();
      models.run();
      retention.run();
      await held.run(address);
      await adoptWebhooks(fleet, archive);
      sender = sendFleetWebhooks(fleet, archive, { link, retryMs: RETRY_MS });
    },
    async close() {
      stop.abort();
      await Promise.all([loop, models.close(), held.close(), retention.close(), sender?.close()]);
      await fleet.close();
    },
  };
}
