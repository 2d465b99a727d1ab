// A Next route handler in one call: parameters, query and body are checked by their schemas, the answer is JSON,
// failures become `{error:{code,message,id?}}`. Uses web types only: `next` does not come below app.
import type { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { failureOf } from "./failure.ts";
import { holderOfHeaders, type Holder } from "./holder.ts";
import { checked } from "./params.ts";
import { slot } from "./slot.ts";
import type { Slot } from "./slot.ts";

type Asked<P, Q, B> = {
  readonly slot: Slot;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Who asks, as the gate found it. */
  readonly holder: Omit<Holder, "kind">;
  /** The one session that a bound token sees, or null. */
  readonly boundSession: string | null;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

type Door<P, Q, B, A> = {
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Parameters of the query that may be given more than once: the schema gets all of them. Of others it gets the last. */
  readonly lists?: readonly string[];
  readonly body?: z.ZodType<B>;
  /** Status of a success; 200. */
  readonly status?: number | ((answer: A) => number);
  readonly run: (asked: Asked<P, Q, B>) => Promise<A>;
};

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

/** The handler of one method of one path. */
export function route<P = undefined, Q = undefined, B = undefined, A = unknown>(door: Door<P, Q, B, A>): Handler {
  return async (request, context) => {
    const url = new URL(request.url);
    try {
      const params = (door.params && checked(door.params, await context.params, "path")) as P;
      const query = (door.query && checked(door.query, queryOf(url, door.lists), "query")) as Q;
      const body = (door.body && checked(door.body, await readJson(request), "body")) as B;
      const holder = holderOfHeaders(request.headers);
      const { session: boundSession } = holder;
      const { signal } = request;
      const answer = await door.run({ slot: slot(), params, query, body, holder, boundSession, signal });
      const { status = 200 } = door;
      return reply(answer ?? {}, typeof status === "number" ? status : status(answer));
    } catch (error) {
      // Nobody reads this: what was stopped because its asker went away is no failure. 499 as other servers log it.
      if (request.signal.aborted && error === request.signal.reason) return reply({}, 499);
      const failure = failureOf(error, `${request.method} ${url.pathname}`);
      return reply({ error: failure.error }, failure.status);
    }
  };
}

function queryOf(url: URL, lists: readonly string[] = []): Record<string, string | string[]> {
  const asked: Record<string, string | string[]> = Object.fromEntries(url.searchParams);
  for (const name of lists) if (url.searchParams.has(name)) asked[name] = url.searchParams.getAll(name);
  return asked;
}

function reply(answer: unknown, status: number): Response {
  return Response.json(answer, { status, headers: { "cache-control": "no-store" } });
}

async function readJson(request: Request): Promise<unknown> {
  // The gate has bounded the body by its declared length, which Node holds it to.
  const text = await request.text();
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail("invalid", "The body of this request is not JSON.", error);
  }
}
