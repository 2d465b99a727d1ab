// One endpoint: its address, who may ask, the schemas of its request and its answer, and its function. What comes in is checked
// before the function sees it; what the function returns is sent as JSON, and what it throws as `{error:{code,message,id?}}`.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readSteadily } from "#lib/archive/base/steady-read.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import type { AppContext } from "./app-context.ts";
import { jsonBody } from "./body.ts";
import { answerOnce, idempotencyKey } from "./idempotency.ts";
import { checked, checkedQuery } from "./params.ts";
import { admit } from "./fleet-admission.ts";
import { routeInFleet } from "./fleet-routing.ts";
import { NOBODY, type Principal, type Scope } from "./principal.ts";
import { sendJson } from "./send-json.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * `credential`: whoever came in, as far as the scope goes. `browser`: a signed-in browser alone. `human`: the same, or an admin of the
 * fleet who signed in. `bearer`: the command line alone. `open`: no data, by name.
 */
export type Auth = "credential" | "browser" | "human" | "bearer" | "open";

/**
 * What a token that is bound to a session may see here; nothing where an endpoint does not say. `free`: tells nothing of any
 * session. `session`, `pointer`: its parameter must lie in the session. `query`: `?session=` is the session, whatever was
 * asked. `own`: its function looks at `principal.session` itself.
 */
export type Bound = "free" | "session" | "pointer" | "query" | "own";

/** A request as the gate let it in. */
export type Incoming = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Who asks; null where an endpoint is open. */
  readonly principal: Principal | null;
  /** Lets a sender that asked first (`Expect: 100-continue`) send its body: what refuses before it, refuses in peace. */
  readonly begin: () => void;
};

/** A request as the function of an endpoint sees it. */
export type Call<P = unknown, Q = unknown, B = unknown> = Omit<Incoming, "params" | "query" | "principal"> & {
  readonly app: AppContext;
  readonly archive: Archive;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: Principal;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

type Spec<P, Q, B, A> = {
  /** `credential` when absent. */
  readonly auth?: Auth;
  /** What a token needs: `read` for GET; else `admin`, unless less is enough. */
  readonly scope?: Scope;
  readonly bound?: Bound;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Parameters of the query that may be given more than once: the schema gets all of them. Of others it gets the last. */
  readonly lists?: readonly string[];
  readonly body?: z.ZodType<B>;
  /** A body that is no JSON. `bytes`: application/octet-stream. `content`: of any type, which is told by Content-Type. */
  readonly takes?: "bytes" | "content";
  /** Content-Encodings that the function unpacks itself; none when absent. */
  readonly unpacks?: readonly string[];
  readonly bodyBytes?: number;
  /** Without it the function writes the answer itself. */
  readonly answer?: z.ZodType<A>;
  /** Status of a success; 200. */
  readonly status?: number | ((answer: Sent<A>) => number);
  /** The answer holds a secret that is shown once: it is not kept for who sends the request again. */
  readonly isSecret?: boolean;
  readonly run: (call: Call<P, Q, B>) => Sent<NoInfer<A>> | Promise<Sent<NoInfer<A>>>;
};

/** What is sent is changed by nobody any more. */
export type Sent<A> = A extends object ? { readonly [K in keyof A]: Sent<A[K]> } : A;

export type Endpoint = Required<Pick<Spec<unknown, unknown, unknown, unknown>, "auth" | "scope" | "bodyBytes">> & {
  /** GET answers HEAD too. */
  readonly method: Method;
  readonly path: string;
  readonly bound: Bound | null;
  readonly takes: "none" | "json" | "bytes" | "content";
  readonly unpacks: readonly string[];
  readonly schemas: Readonly<Record<"params" | "query" | "body" | "answer", z.ZodType | undefined>>;
  readonly handle: (app: AppContext, incoming: Incoming) => Promise<void>;
};

function endpoint<P, Q, B, A>(method: Method, path: string, spec: Spec<P, Q, B, A>): Endpoint {
  const { params, query, body, answer, auth = "credential" } = spec;
  const takes = method === "GET" ? "none" : (spec.takes ?? "json");
  const scope = spec.scope ?? (method === "GET" ? "read" : "admin");
  return {
    method,
    path,
    auth,
    scope,
    bound: spec.bound ?? null,
    takes,
    unpacks: spec.unpacks ?? [],
    bodyBytes: takes === "none" ? 0 : (spec.bodyBytes ?? LIMITS.requestBytes),
    schemas: { params, query, body, answer },
    handle: (app, incoming) =>
      // What is open is of no session, and asks nothing of the fleet's database by itself.
      app.fleet === null || auth === "open"
        ? handle(app, incoming, spec)
        : atNode(app, app.fleet, { method, path, scope, takes }, incoming, (admitted) => handle(app, admitted, spec)),
  };
}

/** At a node of a fleet: elsewhere, or here once what it asks for is here. */
async function atNode(
  app: AppContext,
  fleet: FleetNode,
  asked: Pick<Endpoint, "method" | "path" | "scope" | "takes">,
  incoming: Incoming,
  run: (admitted: Incoming) => Promise<void>,
): Promise<void> {
  for (let isAgain = false; ; isAgain = true) {
    const routed = await routeInFleet(app, fleet, asked, incoming);
    if (routed === "elsewhere") return;
    try {
      return await run(routed ?? (await admit(app, asked, incoming)));
    } catch (error) {
      // The copy of a session that was here may have been dropped a moment later: then another node has it by now.
      const mayBeThere = routed !== null && asked.method === "GET" && !isAgain && !incoming.response.headersSent;
      if (!mayBeThere || !isAppError(error) || error.code !== "not_found") throw error;
    }
  }
}

type Build = <P = undefined, Q = undefined, B = undefined, A = void>(path: string, spec: Spec<P, Q, B, A>) => Endpoint;
export const get: Build = (path, spec) => endpoint("GET", path, spec);
export const post: Build = (path, spec) => endpoint("POST", path, spec);
export const put: Build = (path, spec) => endpoint("PUT", path, spec);
export const del: Build = (path, spec) => endpoint("DELETE", path, spec);

async function handle<P, Q, B, A>(app: AppContext, incoming: Incoming, spec: Spec<P, Q, B, A>): Promise<void> {
  const { request, response, begin } = incoming;
  let signal: AbortSignal | null = null;
  const run = async (): Promise<Sent<A>> => {
    const call: Call<P, Q, B> = {
      app,
      archive: app.archive,
      request,
      response,
      begin,
      principal: incoming.principal ?? NOBODY,
      params: (spec.params && checked(spec.params, incoming.params, "path")) as P,
      query: (spec.query && checkedQuery(spec.query, incoming.query, spec.lists)) as Q,
      body: (spec.body && checked(spec.body, await jsonBody(request), "body")) as B,
      // Made when it is asked for: a small put has no use for it.
      get signal() {
        return (signal ??= signalOf(response));
      },
    };
    // What is written into the response by the function itself cannot be taken back and asked again.
    return request.method === "GET" && spec.answer !== undefined
      ? readSteadily(app.archive, () => spec.run(call))
      : spec.run(call);
  };
  try {
    const key = idempotencyKey(request, spec.answer !== undefined);
    if (key !== null)
      return await answerOnce(app.archive, incoming, { key, run, status: spec.status, isSecret: spec.isSecret });
    const answer = await run();
    if (spec.answer === undefined) return;
    const { status = 200 } = spec;
    sendJson(response, typeof status === "number" ? status : status(answer), answer);
  } catch (error) {
    // Who went away is told nothing, and is no failure of ours: its body broke off, or what ran for it was stopped.
    if (request.destroyed && !request.complete) return void response.destroy();
    if (wasStopped(signal, error)) return;
    throw error;
  }
}

const wasStopped = (signal: AbortSignal | null, error: unknown): boolean =>
  signal !== null && signal.aborted && (error === signal.reason || (error as Error).name === "AbortError");

function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const note = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  if (response.destroyed) note();
  else response.once("close", note);
  return gone.signal;
}
