// Server-sent events, as both providers write them: the event's name on a line, and again in its data.
import type { ServerResponse } from "node:http";

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

export function sendEvent(response: ServerResponse, type: string, fields: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
}
