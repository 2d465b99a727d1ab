// Which sessions there are: by words that stand in them, or by project; the last active first.
import { z } from "zod";
import { findInSession } from "#lib/archive/sessions/find-in-session.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { origin } from "#lib/wire/common-schema.ts";
import { sessionsQuery, type SessionRow, type SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { defineTool, type ToolContext } from "./define-tool.ts";

const TITLE_CHARS = 120;
const SNIPPET_CHARS = 300;

const found = z.object({
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
    "Lists recorded agent sessions, the last active first: those whose text holds the words of query, or all. Gives the ids that other tools take.",
  maxBytes: 64 * 1024,
  input: z.strictObject({
    query: z.string().max(1000).optional().describe("Words that stand in the session"),
    project: z.string().min(1).max(4096).optional().describe("Folder that the agent worked in"),
    limit: z.int().min(1).max(50).default(10),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ sessions: z.array(found), total: z.number(), next_offset: z.number().nullable() }),
  async run(context, { query = "", project, limit, offset }) {
    const { sessions, total } = await listed(
      context,
      sessionsQuery.parse({ q: query, project, limit, offset, sort: "active" }),
    );
    const next = offset + sessions.length < total && sessions.length > 0 ? offset + sessions.length : null;
    const lines = sessions.map(lineOf);
    const end = next === null ? [] : [`[${total - next} more: continue with offset=${next}]`];
    return {
      text: lines.length === 0 ? "No session fits." : [...lines, ...end].join("\n"),
      isError: false,
      structured: { sessions: sessions.map(factsOf), total, next_offset: next },
    };
  },
});

type Listed = Pick<
  SessionRow,
  "id" | "title" | "agent" | "model" | "cwd" | "endedAt" | "calls" | "peak" | "compactions" | "snippet" | "hit"
>;

/** Who is bound to a session finds that one, or nothing. */
async function listed(
  { archive, session }: ToolContext,
  query: SessionsQuery,
): Promise<{ readonly sessions: readonly Listed[]; readonly total: number }> {
  if (session === null) return listSessions(archive, query);
  const own = await showSession(archive, session);
  const seqs = query.q === "" ? [] : (await findInSession(archive, session, query.q)).seqs;
  const isFound = query.q === "" || seqs.length > 0 || own.title.toLowerCase().includes(query.q.toLowerCase());
  const isMeant = isFound && (query.project === undefined || query.project === own.cwd);
  const calls = own.modelCalls.own + own.modelCalls.inherited;
  const sessions = isMeant ? [{ ...own, calls, snippet: null, hit: seqs[0] ?? null }] : [];
  return { sessions: sessions.slice(query.offset), total: sessions.length };
}

const factsOf = (row: Listed): z.infer<typeof found> => ({
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
