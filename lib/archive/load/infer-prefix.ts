// What the hidden prefix of a session may hold, where its file does not say: by its own later requests, else by those of a session
// of the same agent, the nearest version first.
import { columns, command, query, type RowOf } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { partOf } from "#lib/kernel/load/base.ts";
import { COUNTED } from "#lib/kernel/load/constants.ts";
import { estimateEvent } from "#lib/kernel/load/estimate.ts";
import { inferredPart, versionDistance, versionNumber, type InferredPrefix } from "#lib/kernel/load/inferred-prefix.ts";
import type { Ledger } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { shapesOf } from "../base/frame-shapes.ts";
import { eventRowId, rowRange } from "../base/row-keys.ts";
import { tokenizerOf } from "../base/session-rows.ts";
import { countersOf } from "../import/session-counters.ts";
import { constantsOf } from "./calibrated.ts";
import { eventsAt } from "./ledger-rows.ts";

const SESSION = columns(
  "sessions",
  "pk",
  "id",
  "title",
  "format",
  "model",
  "relation",
  "agent_name",
  "agent_version",
  "started_at",
);

/** Of the session itself alone: the counters of 10,000 sessions are 20 MB of JSON. */
const WITH_COUNTERS = { ...SESSION, ...columns("sessions", "tally") } as const;

/** Sessions that are looked at: nearly every one of a version that writes requests has them. */
const TRIED = 20;

/** Null where nothing is hidden, or no session says what it could be. */
export function inferredPrefixOf(archive: Archive, pk: number, { calls, items }: Ledger): InferredPrefix | null {
  const hidden = items.find((item) => item.tokens > 0 && partOf(item) === "unsplit");
  if (hidden === undefined) return null;
  const session = query(archive.sqlite, WITH_COUNTERS, "FROM sessions WHERE pk = ?").get(pk)!;
  const source = hasRequests(archive, pk) ? session : nearest(archive, session);
  if (source === undefined) return null;
  const isOwn = source.pk === pk;
  const rows = [...(shapesOf(archive, source.pk)[0]?.parts.values() ?? [])].map((seq) => eventRowId(source.pk, seq));
  const constants = (countersOf(session).counted > 0 ? COUNTED : constantsOf(archive))[calls[hidden.from]!.family];
  const parts = eventsAt(archive, tokenizerOf(archive, pk), rows)
    .flatMap((event) => inferredPart(event.label, Math.round(estimateEvent(event, constants).tokens), isOwn) ?? [])
    .toSorted((a, b) => b.tokens - a.tokens);
  if (parts.length === 0) return null;
  return {
    from: {
      session: source.id,
      title: source.title,
      version: source.agent_version,
      isSameVersion: source.agent_version === session.agent_version,
      isOwn,
    },
    known: hidden.tokens,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    parts,
  };
}

type Session = RowOf<typeof SESSION>;

/** Of the agent's sessions, in the order of the index that finds them: their number says nothing of how long it takes. */
const ALIKE = `FROM sessions WHERE format = @format AND (relation = 'subagent') = @isSub AND coalesce(agent_name, '') = @agent
  AND earlier IS NULL AND calls > 0`;

/** The nearest session of the agent whose file has requests; of one version the newest of the same model. */
function nearest(archive: Archive, session: Session): Session | undefined {
  const since = versionNumber(FORMATS.find(({ id }) => id === session.format)?.requests?.since ?? null);
  if (since === null) return undefined;
  const { format, pk } = session;
  const alike = { format, isSub: session.relation === "subagent" ? 1 : 0, agent: session.agent_name ?? "" };
  const newest = query(
    archive.sqlite,
    SESSION,
    `${ALIKE} AND agent_version = @version AND coalesce(model, '') = @model
       ORDER BY coalesce(started_at, 0) DESC, pk LIMIT ${TRIED + 1}`,
  );
  const kinds = kindsOf(archive, alike)
    .filter(({ version }) => (versionNumber(version) ?? 0) >= since)
    .map((kind) => ({
      ...kind,
      distance: versionDistance(session.agent_version, kind.version),
      isOther: Number(kind.model !== (session.model ?? "")),
    }))
    .toSorted((a, b) => compare(a.distance, b.distance) || a.isOther - b.isOther);
  let left = TRIED;
  for (const near of Map.groupBy(kinds, ({ distance, isOther }) => `${distance} ${isOther}`).values()) {
    const tried = near
      .flatMap((kind) => newest.all({ ...alike, version: kind.version, model: kind.model }))
      .filter((one) => one.pk !== pk)
      .toSorted((a, b) => (b.started_at ?? 0) - (a.started_at ?? 0) || a.pk - b.pk)
      .slice(0, left);
    const found = tried.find((one) => hasRequests(archive, one.pk));
    if (found !== undefined) return found;
    left -= tried.length;
  }
  return undefined;
}

type Alike = { readonly format: string; readonly isSub: number; readonly agent: string };
type Kind = { readonly version: string; readonly model: string };

/** Each version of the agent with each of its models, two looks at the index for each. */
function kindsOf({ sqlite }: Archive, alike: Alike): Kind[] {
  const next = (after: string) =>
    query(
      sqlite,
      { version: "sessions.agent_version!", model: "text" },
      `SELECT agent_version AS version, coalesce(model, '') AS model ${ALIKE} AND ${after}
         ORDER BY agent_version, coalesce(model, '') LIMIT 1`,
    );
  const [nextModel, nextVersion] = [
    next("agent_version = @version AND coalesce(model, '') > @model"),
    next("agent_version > @version"),
  ];
  const kinds: Kind[] = [];
  for (let kind = nextVersion.get({ ...alike, version: "" }); kind !== undefined;) {
    kinds.push(kind);
    const { version } = kind;
    kind = nextModel.get({ ...alike, ...kind }) ?? nextVersion.get({ ...alike, version });
  }
  return kinds;
}

/** Of two endless distances neither is nearer. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

/** Shapes stand near a file's beginning: it is found in its first rows. */
const hasRequests = (archive: Archive, pk: number): boolean =>
  command(
    archive.sqlite,
    "SELECT 1 FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' AND label GLOB 'api-request-shape *' LIMIT 1",
  ).get(...rowRange(pk)) !== undefined;
