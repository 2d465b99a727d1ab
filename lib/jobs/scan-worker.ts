// Looks through bytes that come in, beside the thread that receives them.
import { parentPort } from "node:worker_threads";
import { ContentScan, type ContentFacts } from "#lib/kernel/artifacts/scan.ts";

export type ToScan =
  | { readonly id: number; readonly piece: Uint8Array }
  | { readonly id: number; readonly end: "facts" | "nothing" };

export type FromScan =
  | { readonly id: number; readonly scanned: number }
  /** The index travels as bytes: a class does not. */
  | { readonly id: number; readonly facts: Omit<ContentFacts, "index">; readonly index: Uint8Array };

const scans = new Map<number, ContentScan>();
const say = (message: FromScan): void => parentPort!.postMessage(message);

parentPort!.on("message", (message: ToScan) => {
  const { id } = message;
  if ("piece" in message) {
    let scan = scans.get(id);
    if (scan === undefined) scans.set(id, (scan = new ContentScan()));
    scan.add(message.piece);
    say({ id, scanned: message.piece.length });
    return;
  }
  const scan = scans.get(id) ?? new ContentScan();
  scans.delete(id);
  if (message.end === "nothing") return;
  const { index, ...facts } = scan.end();
  say({ id, facts, index: index.encode() });
});
