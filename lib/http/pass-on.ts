// A request for a session that another node of the fleet has: it is passed on as it came, in the name of who asked, and the answer
// comes back as it is. Once only: who gets it so answers it himself or says that the session has moved.
import {
  Agent as HttpAgent,
  request as ask,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as askSecurely } from "node:https";
import { pipeline } from "node:stream/promises";
import type { NodeAddress } from "#lib/fleet/held/node-list.ts";
import { fail } from "#lib/kernel/errors.ts";
import { bodyAhead } from "./body.ts";

/** As much of a request as is passed on. */
export type Passable = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begin: () => void;
};

/** Says that the node has not, or no longer, the session that a request is about. */
export const MOVED_HEADER = "plimsoll-moved";

/** Says that an answer is of what is packed, since the node that has the session is silent. Pages know it: components/ui/api.ts. */
export const PACKED_HEADER = "plimsoll-packed";

const KEPT = { keepAlive: true, maxSockets: 256, timeout: 60_000 } as const;
const agents = { "http:": new HttpAgent(KEPT), "https:": new HttpsAgent(KEPT) } as const;

/** Headers between two programs, and those that name who asks: both nodes have their own. */
const OWN = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "proxy-authorization",
  "expect",
  "host",
  "authorization",
  "cookie",
  "origin",
  "referer",
  "content-length",
]);
const isOwn = (name: string): boolean => OWN.has(name) || name.startsWith("sec-");

/** `moved`, `unreached`: nothing was done there. `lost`: nobody knows. `silent`: the node says nothing at all. */
export type Passed = "answered" | "moved" | "unreached" | "lost" | "silent";

export async function passOn(
  { request, response, begin }: Passable,
  { address, host }: NodeAddress,
  pass: string,
  waitMs: number,
  /** Aborts when the node falls silent, and looks no further once the answer has begun. */
  watch: ((begun: AbortSignal) => AbortSignal) | null = null,
): Promise<Passed> {
  const url = new URL(request.url ?? "/", address);
  const read = bodyAhead(request);
  const headers: OutgoingHttpHeaders = { host, authorization: `Bearer ${pass}` };
  for (const [name, value] of Object.entries(request.headers)) if (!isOwn(name)) headers[name] = value;
  const length = read?.length ?? request.headers["content-length"];
  if (length !== undefined && request.method !== "GET" && request.method !== "HEAD") headers["content-length"] = length;
  const send = url.protocol === "https:" ? askSecurely : ask;
  const options = { method: request.method, headers, agent: agents[url.protocol as "http:"] };
  let isConnected = false;
  const begun = new AbortController();
  const silent = watch?.(begun.signal);
  const answer = await new Promise<IncomingMessage | "unreached" | "lost" | "silent">((resolve) => {
    const passed = send(url, options, resolve);
    const giveUp = (): void => void passed.destroy(new Error("late"));
    const timer = setTimeout(giveUp, waitMs);
    silent?.addEventListener("abort", giveUp);
    passed.once("socket", (socket) => {
      if (!socket.connecting) isConnected = true;
      else socket.once("connect", () => (isConnected = true));
    });
    const stopWaiting = (): void => {
      clearTimeout(timer);
      silent?.removeEventListener("abort", giveUp);
      begun.abort();
    };
    passed.once("response", stopWaiting);
    passed.once("error", () => {
      stopWaiting();
      resolve(silent?.aborted === true ? "silent" : isConnected ? "lost" : "unreached");
    });
    const leave = (): void => void (response.writableFinished || passed.destroy());
    response.once("close", leave);
    passed.once("close", () => response.off("close", leave));
    if (read !== null || request.method === "GET" || request.method === "HEAD")
      return void passed.end(read ?? undefined);
    begin();
    request.pipe(passed);
  });
  if (typeof answer === "string") return answer;
  if (answer.headers[MOVED_HEADER] !== undefined) {
    answer.resume();
    return "moved";
  }
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !(isOwn(name) && name !== "content-length")) response.setHeader(name, value);
  response.writeHead(answer.statusCode ?? 502);
  await pipeline(answer, response).catch(() => response.destroy());
  return "answered";
}

export const awayNode = (session: string, address: string): never =>
  fail(
    "timeout",
    `The node ${address}, which writes session ${session}, does not answer. Another takes over soon: send the request again. Other sessions work.`,
  );

/** Of what no other node has: when somebody takes over. */
export const notPacked = (
  session: string,
  { host, leftMs }: { readonly host: string; readonly leftMs: number },
): never =>
  fail(
    "timeout",
    `The node ${host}, which holds session ${session}, does not answer. This part is not packed yet. Another node takes over in ${Math.ceil(leftMs / 1000)} s.`,
  );
