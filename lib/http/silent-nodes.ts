// Nodes that answer nothing. One that is dead or frozen holds its sessions until its lease ends: what pages read is not waited for so long.
import { request as ask } from "node:http";
import { request as askSecurely } from "node:https";
import { setTimeout } from "node:timers/promises";
import type { NodeAddress } from "#lib/fleet/held/node-list.ts";

/** A node has so long to say that it runs, and what it said is believed for so long (milliseconds). */
const ANSWER_MS = 1000;
const BELIEVED_MS = 500;

type Heard = { readonly isSilent: Promise<boolean>; until: number };

/** Next bundles a copy of this file for its pages: both know the same. */
const key = Symbol.for("plimsoll.silent-nodes");
const heard = ((globalThis as Record<symbol, unknown>)[key] ??= new Map()) as Map<string, Heard>;

/** Whether a node does not even say that it runs. */
export function isSilent(node: NodeAddress): Promise<boolean> {
  const known = heard.get(node.address);
  if (known !== undefined && performance.now() < known.until) return known.isSilent;
  const asked: Heard = { isSilent: hearsNothing(node), until: Number.POSITIVE_INFINITY };
  void asked.isSilent.then(() => (asked.until = performance.now() + BELIEVED_MS));
  heard.set(node.address, asked);
  return asked.isSilent;
}

/** A request to it failed: it is asked anew. */
export const doubtNode = ({ address }: NodeAddress): void => void heard.delete(address);

/** Aborts when the node falls silent, until `ends`. */
export function whenSilent(node: NodeAddress, ends: AbortSignal): AbortSignal {
  const silent = new AbortController();
  const look = async (): Promise<void> => {
    do await setTimeout(BELIEVED_MS, undefined, { signal: ends, ref: false });
    while (!(await isSilent(node)));
    silent.abort();
  };
  look().catch(() => undefined);
  return silent.signal;
}

function hearsNothing({ address, host }: NodeAddress): Promise<boolean> {
  const url = new URL("/api/health", address);
  const send = url.protocol === "https:" ? askSecurely : ask;
  return new Promise((resolve) => {
    const asked = send(url, { headers: { host }, agent: false, signal: AbortSignal.timeout(ANSWER_MS) }, (answer) => {
      answer.resume();
      resolve(false);
    });
    asked.once("error", () => resolve(true));
    asked.end();
  });
}
