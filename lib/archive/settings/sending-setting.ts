// Sending sessions to a fleet as they come: off until a person gives an address and a token, and then sent there alone.
import { fail } from "#lib/kernel/errors.ts";
import { baseUrlProblem } from "#lib/kernel/model-endpoint.ts";
import { sendingRequest, type SendingRequest, type SendingSetting } from "#lib/wire/sending-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import { readKey, removeKey, writeKey } from "./kept-key.ts";
import { saveSendingWrite, sendingRow } from "./sending-row.ts";

const KEY = "sending.key";

export type Sending = SendingSetting & { readonly token: string | null };

export function readSending(archive: Archive): Sending {
  const row = sendingRow(archive);
  return { ...row, token: row.to === "" ? null : readKey(archive, KEY, row.to) };
}

/** What a request would set, with the token that is kept where it gives none for the same address. Fails with `invalid`. */
export function sendingOf(archive: Archive, request: SendingRequest): Sending {
  const { token, to: typed, ...rest } = sendingRequest.parse(request);
  const to = typed.trim() === "" ? "" : nodeAddress(typed.trim());
  const kept = to === "" ? null : readKey(archive, KEY, to);
  const sending = { ...rest, to, token: token === undefined ? kept : token };
  if (sending.on && to === "") fail("invalid", "No address is given. Enter that of a node of the fleet.");
  if (sending.on && sending.token === null)
    fail("invalid", `No token is given for ${to}. Enter one of the fleet that may send.`);
  return sending;
}

/** Another address loses the token, before anything else changes: it is given anew or not at all. */
export async function saveSending(archive: Archive, request: SendingRequest): Promise<Sending> {
  const { token, ...setting } = sendingOf(archive, request);
  if (archive.mode === "read") fail("conflict", "This archive is open read-only. Its settings cannot change.");
  if (token === null || setting.to !== sendingRow(archive).to) await removeKey(archive, KEY);
  await write(archive, saveSendingWrite, setting);
  if (token !== null && token !== readKey(archive, KEY, setting.to)) await writeKey(archive, KEY, setting.to, token);
  return readSending(archive);
}

/** A node's address, as requests begin with it. */
export function nodeAddress(text: string): string {
  const problem = baseUrlProblem(text);
  if (problem !== null)
    fail("invalid", `The node's address cannot be used. ${problem.replace("the key field", "the token field")}`);
  const { origin, pathname } = new URL(text);
  if (pathname !== "/")
    fail("invalid", `The node's address has the path ${pathname.slice(0, 80)}. Leave it out: ${origin}`);
  return origin;
}
