// A Next route handler in one call: parameters, query and body are checked by their schemas, the answer is JSON,
// failures become `{error:{code,message,id?}}`. Uses web types only: `next` does not come below app.
import type { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { failureOf } from "./failure.ts";
import { slot } from "./slot.ts";
import type { Slot } from "./slot.ts";

type Asked<P, Q, B> = { readonly slot: Slot; readonly params: P; readonly query: Q; readonly body: B };

type Door<P, Q, B> = {
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** Status of a success; 200. */
  readonly status?: number;
  readonly run: (asked: Asked<P, Q, B>) => Promise<unknown>;
};

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

/** The handler of one method of one path. */
export function route<P = undefined, Q = undefined, B = undefined>(door: Door<P, Q, B>): Handler {
  return async (request, context) => {
    const url = new URL(request.url);
    try {
      const params = parse(door.params, door.params && (await context.params), "path") as P;
      const query = parse(door.query, door.query && Object.fromEntries(url.searchParams), "query") as Q;
      const body = parse(door.body, door.body && (await readJson(request)), "body") as B;
      const answer = await door.run({ slot: slot(), params, query, body });
      return reply(answer ?? {}, door.status ?? 200);
    } catch (error) {
      const failure = failureOf(error, `${request.method} ${url.pathname}`);
      return reply({ error: failure.error }, failure.status);
    }
  };
}

function reply(answer: unknown, status: number): Response {
  return Response.json(answer, { status, headers: { "cache-control": "no-store" } });
}

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T | undefined {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 5).map((issue) => `${issue.path.join(".") || "it"}: ${issue.message}`);
  return fail("invalid", `The ${where} of this request is not as expected. ${issues.join("; ")}.`);
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
