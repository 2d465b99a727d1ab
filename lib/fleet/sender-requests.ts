// Requests of a sender: to a node, which knows its token, and what is tried again where no answer comes.
import { setTimeout } from "node:timers/promises";
import type { z } from "zod";
import { isOk, sendRequest } from "#lib/blobs/http-request.ts";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import { missingAnswer } from "#lib/wire/fleet-schema.ts";

const PAUSES_MS = [200, 1000, 4000] as const;
/** A node or a bucket that says nothing for so long is asked anew. */
export const SILENT_MS = 300_000;

export type AskedNode = { readonly to: string; readonly token: string; readonly signal?: AbortSignal };

/** The project that is sent to: the one that is named, where the token may, or else the token's. Nothing of any session is told. */
export async function projectToSendTo(node: AskedNode, named: string | null): Promise<string> {
  const nothing = { objects: [], family: { ...(named !== null && { project: named }), sessions: [], bytes: 0 } };
  const { project } = await askNode(node, "/api/fleet/missing", nothing, missingAnswer).catch((error: unknown) => {
    // The request is well: what is refused is the token. A node before this version says so with status 400.
    if (isAppError(error) && error.code === "invalid") throw new AppError("conflict", error.message, { cause: error });
    throw error;
  });
  return (
    project ?? named ?? fail("unsupported", `The node ${node.to} does not say where its token sends. Name a project.`)
  );
}

export async function askNode<T>(
  { to, token, signal }: AskedNode,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
): Promise<T> {
  return again(`The node ${to}`, async () => {
    const { status, text } = await sendRequest(new URL(path, to).href, {
      ...{ method: "POST", body: Buffer.from(JSON.stringify(body)), silentMs: SILENT_MS, ...(signal && { signal }) },
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
    if (isOk(status)) return schema.parse(JSON.parse(text));
    const said = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
    // It says which part of the fleet is away.
    if (status >= 500) throw new Error(`status ${status}${said === undefined ? "" : `: ${said.replace(/\.$/u, "")}`}`);
    const message = `The node ${to} refused: ${said ?? `status ${status}`}`;
    if (status === 401 || status === 403) throw new AppError("conflict", message, { isForbidden: true });
    return fail(status === 409 ? "conflict" : "invalid", message);
  });
}

/** Tries again while there is no answer, and then says who gave none. */
export async function again<T>(who: string, run: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await run();
    } catch (error) {
      if (isAppError(error) || (error as Error).name === "AbortError") throw error;
      const cause = (error as { code?: string }).code ?? (error as Error).message;
      if (tries === PAUSES_MS.length)
        throw new AppError(
          "timeout",
          `${who} does not answer (${cause}). What was sent stays there; the next time goes on from there.`,
          { cause: error },
        );
      await setTimeout(PAUSES_MS[tries]);
    }
}
