import { randomUUID } from "node:crypto";
import { policyOf, type PolicyInput } from "#lib/kernel/artifacts/offload-presets.ts";
import type { CreateSessionRequest, HeldSession } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import { heldSessionId, createSessionWrite } from "./held-session.ts";
import { closeTurnWrite } from "./turns.ts";

/** Makes a session that Plimsoll holds, or finds the one that was made under this name before. */
export async function createSession(archive: Archive, request: CreateSessionRequest): Promise<HeldSession> {
  // policyOf names what is wrong, field by field: the door's schema leaves the policy to it.
  const policy = request.policy === undefined ? null : policyOf(request.policy as PolicyInput);
  return write(archive, createSessionWrite, { ...request, id: request.id ?? randomUUID(), policy });
}

/** Closes the writes of a turn: an output that names it and comes later is dropped, and says so. */
export async function closeTurn(
  archive: Archive,
  session: string,
  turn: number,
): Promise<{ turn: number; closed: boolean }> {
  return write(archive, closeTurnWrite, { sessionId: heldSessionId(archive, session), turn });
}
