// Which sessions there are: by words that stand in them, or by project; the last active first.
import { z } from "zod";
import { findInSession } from "#lib/archive/sessions/find-in-session.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { filterText } from "#lib/kernel/search/search-fields.ts";
import { origin } from "#lib/wire/common-schema.ts";
import type { SearchHit } from "#lib/wire/search-schema.ts";
import { sessionsQuery, type SessionRow, type SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { defineTool, type ToolContext } from "./define-tool.ts";

const TITLE_CHARS = 120;
const SNIPPET_CHARS = 300;

const foundSession = z.object({
  id: z.string(),
  title: z.string(),
  agent: z.string(),
  model: z.string().nullable(),
  project: z.string().nullable(),
  last_active: z.string().nullable(),
  model_calls: z.number(),
  peak_tokens: z.number().nullable(),
  peak_origin: origin,
  load_line: z.number().nullable(),
  compactions: z.number(),
  /** The first that holds the words. */
  first_event: z.number().nullable(),
  snippet: z.string().nullable(),
});

export const searchSessions = defineTool({
  name: "search_sessions",
  title: "Search sessions",
  description:
    "Lists recorded agent sessions: those that a query finds, the best first, or all, the last active first. Gives the ids that other tools take.",
  maxBytes: 64 * 1024,
  input: z.strictObject({
    query: z
      .string()
      .max(1000)
      .optional()
      .describe(
        'Words, "a phrase", prefix*, /regex/, -without, and fields: agent: project: model: branch: tool: type: file: is:error tokens:>5k cost:>1 after:7d before:2026-01-31',
      ),
    project: z.string().min(1).max(4096).optional().describe("Folder that the agent worked in"),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    sessions: z.array(foundSession),
    total: z.number(),
    /** False: there may be more, which were not looked at. */
    is_whole: z.boolean(),
    next_offset: z.number().nullable(),
  }),
  async run(context, { query = "", project, limit, offset }) {
    const { sessions, total, isWhole } = await listed(
      context,
      sessionsQuery.parse({ q: query, project, limit, offset, sort: "active" }),
    );
    const next = offset + sessions.length < total && sessions.length > 0 ? offset + sessions.length : null;
    const lines = sessions.map(lineOf);
    const end = [
      ...(next === null ? [] : [`[${total - next} more: continue with offset=${next}]`]),
      ...(isWhole ? [] : ["[Not all events were searched in time. Add words or fields.]"]),
    ];
    return {
      text: [...(lines.length === 0 ? ["No session fits."] : lines), ...end].join("\n"),
      isError: false,
      structured: { sessions: sessions.map(factsOf), total, is_whole: isWhole, next_offset: next },
    };
  },
});

type Listed = Pick<
  SessionRow,
  "id" | "title" | "agent" | "model" | "cwd" | "endedAt" | "calls" | "peak" | "compactions" | "snippet" | "hit"
>;

type ListedSessions = { readonly sessions: readonly Listed[]; readonly total: number; readonly isWhole: boolean };

/** Who is bound to a session finds that one, or nothing. */
async function listed(context: ToolContext, query: SessionsQuery): Promise<ListedSessions> {
  const { archive, session } = context;
  if (query.q !== "") return found(context, query);
  if (session === null) return listSessions(archive, query);
  const own = await listedOf(archive, session, null);
  const sessions = query.project === undefined || query.project === own.cwd ? [own] : [];
  return { sessions: sessions.slice(query.offset), total: sessions.length, isWhole: true };
}

/** The best match of each session that the query finds. What the index does not have yet is found by its plain words. */
async function found({ archive, session, signal }: ToolContext, query: SessionsQuery): Promise<ListedSessions> {
  const { limit, offset, project } = query;
  const q = project === undefined ? query.q : `${query.q} ${filterText("project", project)}`;
  const own = session === null ? {} : { session };
  const request = { q, limit, offset, sort: "rank", by: "session", facets: "0", ...own } as const;
  const answer = await searchArchive(archive, { ...request, ...(signal !== undefined && { signal }) });
  if (answer.index.sessions < answer.index.of && isPlain(query.q)) return foundByWords(archive, session, query);
  const sessions = await Promise.all(answer.hits.map((hit) => listedOf(archive, hit.session.id, hit)));
  return { sessions, total: answer.sessions, isWhole: answer.isWhole };
}

const isPlain = (q: string): boolean => !/["*/:]|(?:^|\s)-/.test(q);

async function foundByWords(archive: Archive, session: string | null, query: SessionsQuery): Promise<ListedSessions> {
  if (session === null) return listSessions(archive, query);
  const own = await listedOf(archive, session, null);
  const { seqs } = await findInSession(archive, session, query.q);
  const isMeant = seqs.length > 0 && (query.project === undefined || query.project === own.cwd);
  const sessions = isMeant ? [{ ...own, hit: seqs[0]! }] : [];
  return { sessions: sessions.slice(query.offset), total: sessions.length, isWhole: true };
}

async function listedOf(archive: Archive, id: string, hit: SearchHit | null): Promise<Listed> {
  const summary = await showSession(archive, id);
  const calls = summary.modelCalls.own + summary.modelCalls.inherited;
  return { ...summary, calls, snippet: hit?.snippet ?? null, hit: hit?.seq ?? null };
}

const factsOf = (row: Listed): z.infer<typeof foundSession> => ({
  id: row.id,
  title: clip(row.title, TITLE_CHARS),
  agent: row.agent,
  model: row.model,
  project: row.cwd,
  last_active: row.endedAt,
  model_calls: row.calls,
  peak_tokens: row.peak.tokens,
  peak_origin: row.peak.origin,
  load_line: row.peak.loadLine,
  compactions: row.compactions,
  first_event: row.hit,
  snippet: row.snippet === null ? null : clip(row.snippet.replaceAll(/[\u0002\u0003]/g, ""), SNIPPET_CHARS),
});

function lineOf(row: Listed): string {
  const { id, title, agent, last_active, model_calls, peak_tokens, peak_origin, load_line, first_event, snippet } =
    factsOf(row);
  const peak =
    peak_tokens === null
      ? "no tokens reported"
      : `peak ${peak_origin === "estimated" ? "~" : ""}${peak_tokens}${load_line === null ? "" : ` of ${load_line}`} tokens`;
  const when = last_active === null ? "" : `, ${last_active.slice(0, 16)}Z`;
  const hit = first_event === null ? "" : `\n    event ${first_event}${snippet === null ? "" : `: ${snippet}`}`;
  return `${id}  ${title}\n    ${agent}${when}, ${model_calls} model calls, ${peak}${hit}`;
}

const clip = (text: string, chars: number): string =>
  (text.length > chars ? `${text.slice(0, chars)}…` : text).replaceAll(/\s+/g, " ").toWellFormed();
