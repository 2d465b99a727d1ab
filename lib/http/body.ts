// Bodies of requests, whose length the gate has bounded.
import type { IncomingMessage } from "node:http";
import { fail } from "#lib/kernel/errors.ts";

/** Bodies that were read before their endpoint, as it is to see them. */
const ahead = new WeakMap<IncomingMessage, Buffer>();

/** Reads a body before its endpoint does: who decides where a request goes may have to look into it. */
export async function readAhead(request: IncomingMessage): Promise<Buffer> {
  const bytes = ahead.get(request) ?? (await wholeBody(request));
  ahead.set(request, bytes);
  return bytes;
}

/** Puts another body in the place of one that was read. */
export const putAhead = (request: IncomingMessage, bytes: Buffer): void => void ahead.set(request, bytes);

export const bodyAhead = (request: IncomingMessage): Buffer | null => ahead.get(request) ?? null;

/** Listens for the pieces: an iterator of a stream takes more than all else that a small put costs this thread. */
export function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const read = ahead.get(request);
  if (read !== undefined) return Promise.resolve(read);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
    request.once("error", reject);
    request.once("close", () => request.readableEnded || reject(new Error("The client disconnected.")));
  });
}

/** The value of a JSON body; of none, an empty object. */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const text = (await wholeBody(request)).toString("utf8");
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail("invalid", "The body of this request is not JSON.", error);
  }
}

/** The body piece by piece. It is not destroyed when it is refused, so that the refusal can still be sent. */
export async function* piecesOf(request: IncomingMessage): AsyncGenerator<Buffer, undefined> {
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  return undefined;
}
