// `GET /api/changes`: server-sent events. A browser opens one for all its tabs; the cap keeps a broken page or
// program from holding every connection.
import type { ServerResponse } from "node:http";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Call } from "./endpoint.ts";
import { sendProblem } from "./send-json.ts";

/** Something is sent at least so often, so that a dead connection is noticed on both sides. */
const HEARTBEAT_MS = 15_000;
// A reader that is this far behind is better told everything anew when it comes back.
const BEHIND_BYTES = 1024 * 1024;

/** Sends every change. The stream ends where `isLive` says that whoever reads may not come in any more. */
export async function streamChanges(
  {
    app: { changes },
    request,
    response,
    query,
    principal,
  }: Call<unknown, { readonly lastEventId?: string | undefined }>,
  isLive: () => Promise<boolean>,
): Promise<void> {
  const { open } = changes;
  const held = open.get(principal.id) ?? 0;
  if (held >= LIMITS.eventStreams) {
    response.setHeader("Retry-After", "5");
    const message = `${held} change streams are open already, of ${LIMITS.eventStreams} for one browser. Close some tabs.`;
    return sendProblem(response, 429, { code: "too_large", message });
  }
  if (request.method === "HEAD") return void response.writeHead(200, { "content-type": "text/event-stream" }).end();
  open.set(principal.id, held + 1);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  response.write("retry: 1000\n\n");
  const header = request.headers["last-event-id"];
  const last = typeof header === "string" ? header : (query.lastEventId ?? null);
  let sent = Promise.resolve();
  const tell = (text: string): void => {
    sent = sent
      .then(isLive)
      .then((live) => (live ? send(response, text) : void response.end()))
      // Whoever is not known any more comes anew.
      .catch(() => void response.end());
  };
  const stop = changes.subscribe(last, (id, change) => tell(`id: ${id}\ndata: ${JSON.stringify(change)}\n\n`));
  const heartbeat = setInterval(() => tell(": still here\n\n"), HEARTBEAT_MS);
  const forget = changes.onClose(() => response.end());
  response.once("close", () => {
    stop();
    forget();
    clearInterval(heartbeat);
    const left = (open.get(principal.id) ?? 1) - 1;
    if (left > 0) open.set(principal.id, left);
    else open.delete(principal.id);
  });
}

function send(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > BEHIND_BYTES) response.destroy();
  else response.write(text);
}
