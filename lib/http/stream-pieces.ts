// Answers that come piece by piece, as lines of JSON. Whoever closes the connection stops what runs; whoever stops reading is not
// written to.
import { once } from "node:events";
import type { RunAsker } from "#lib/archive/playground/inputs.ts";
import type { Call } from "./endpoint.ts";

type Lines<Piece> = {
  /** The head goes out: from now on what fails breaks the stream off. */
  begin(): void;
  /** True when there is room for the next. */
  send(piece: Piece): boolean;
  /** Resolves when there is; rejects when the connection closes, which drains no more. */
  tell(piece: Piece): Promise<void>;
};

/** Answers with the pieces that `run` tells, and its end. */
export async function streaming<Piece>(
  { response, signal }: Call,
  run: (out: Lines<Piece>) => Promise<Piece>,
): Promise<void> {
  const send = (piece: Piece): boolean => response.write(`${JSON.stringify(piece)}\n`);
  const end = await run({
    begin() {
      response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8", "x-accel-buffering": "no" });
      response.flushHeaders();
    },
    send,
    async tell(piece) {
      if (!send(piece)) await once(response, "drain", { signal });
    },
  });
  send(end);
  response.end();
}

/** An agent comes with a token; everything else is a person. */
export const askerOf = ({ principal, signal }: Call): RunAsker => ({
  who: principal.id,
  isPerson: principal.kind !== "token",
  session: principal.session,
  signal,
});
