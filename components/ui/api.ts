// How the pages talk to the REST doors: a path, a schema, an answer that has been checked. A refusal
// becomes an AppError with its code, so that a page shows the same words as the command line.
import type { z } from "zod";
import { AppError, ERROR_CODES, isAppError, type ErrorCode } from "#lib/kernel/errors.ts";
import { errorAnswer } from "#lib/wire/common-schema.ts";
import { connection } from "./server-connection.ts";

/** Of a node of a fleet: the answer is of what is packed, since the node that holds the session is silent. */
export const PACKED_HEADER = "plimsoll-packed";

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** `path?name=value…`, without what is null, undefined, false or empty. */
export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== false && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Asks a door and checks the answer. Rejects with an AppError, or with an Error that carries the id of a bug. */
export async function api<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  init?: RequestInit,
): Promise<z.infer<Schema>> {
  const response = await reach(path, init);
  const body: unknown = await response.json();
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new Error(`The answer of ${path} does not have the shape that this page knows (${at}). Reload the page.`);
}

/** Sends JSON with a method other than GET; `undefined` sends no body. */
export async function send<Schema extends z.ZodType>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  schema: Schema,
  body?: unknown,
  signal?: AbortSignal,
): Promise<z.infer<Schema>> {
  const json =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return api(path, schema, { method, ...json, ...(signal !== undefined && { signal }) });
}

/** Asks a door and gives the response itself; a refusal rejects as in `api`. */
export async function reach(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    connection.set(false);
    throw new Error("Plimsoll does not answer. Start it again: npx plimsoll, or npm start in a checkout.", { cause });
  }
  connection.set(true);
  if (response.headers.has(PACKED_HEADER)) dispatchEvent(new Event(PACKED_HEADER));
  if (response.ok) return response;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => null);
  const parsed = errorAnswer.safeParse(body);
  if (response.status === 401) {
    return new Error("This browser is not signed in. Open the link that Plimsoll printed at its start.");
  }
  if (!parsed.success) return new Error(`The server answered ${response.status} without a reason.`);
  const { code, message, id } = parsed.data.error;
  if (isErrorCode(code)) return new AppError(code, message);
  return new Error(id === undefined ? message : `${message} (${id})`);
}

function isErrorCode(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code);
}

/** The code and the words of a failure, for `<Failure>`: without the command that lists what there is, which a page shows itself. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (isAppError(error)) return { code: error.code, message: error.message.replace(/ List them: plimsoll .*/u, "") };
  return { code: "failed", message: error instanceof Error ? error.message : String(error) };
}
