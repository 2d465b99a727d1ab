// Calls and results of messages that name none, or name twice: each call gets a name of its own, and a result without one is of the
// oldest call that waits.
import type { EventBody } from "#lib/kernel/event.ts";

export type Pairing = {
  /** Calls that wait for their results: the id in the file, the one here, and the tool; true where a person has spoken since. */
  open: readonly (readonly [string | null, string, string, boolean?])[];
  /** Ids that were given to calls, as long as they may come again. */
  used: readonly string[];
};

/** Remembered at most: calls that wait, and ids. */
const [OPEN, USED] = [64, 200];

export const noPairing = (): Pairing => ({ open: [], used: [] });

/** `fits`: true of tools whose result this may be, where it names no call. */
export function paired(
  body: EventBody,
  name: string,
  pairing: Pairing,
  fits: (tool: string) => boolean = () => true,
): EventBody {
  if (body.type === "user") pairing.open = pairing.open.map(([id, own, tool]) => [id, own, tool, true] as const);
  if (body.type === "tool_call") {
    const id = body.toolCallId;
    const own = id === null || id === "" || pairing.used.includes(id) ? `${id ?? ""}@${name}` : id;
    // One that was interrupted waits for ever: where its id is given again behind a prompt, results are of the new call.
    const waiting = pairing.open.filter(([given, , , isOld]) => isOld !== true || given !== id);
    pairing.open = [...waiting, [id, own, body.toolName] as const].slice(-OPEN);
    pairing.used = [...pairing.used, own].slice(-USED);
    return own === id ? body : { ...body, toolCallId: own };
  }
  if (body.type !== "tool_result") return body;
  const id = body.toolCallId === "" ? null : body.toolCallId;
  const at = id === null ? oldestOf(pairing, fits) : pairing.open.findIndex(([given]) => given === id);
  const call = pairing.open[at];
  if (call !== undefined) {
    pairing.open = pairing.open.toSpliced(at, 1);
    return call[1] === body.toolCallId ? body : { ...body, toolCallId: call[1] };
  }
  return body;
}

const oldestOf = ({ open }: Pairing, fits: (tool: string) => boolean): number =>
  Math.max(
    0,
    open.findIndex(([, , tool]) => fits(tool)),
  );

/** A result without a call that waits: nothing asked for it, or it came twice. */
export const isOrphan = (body: EventBody): boolean =>
  body.type === "tool_result" && (body.toolCallId === null || body.toolCallId === "");
