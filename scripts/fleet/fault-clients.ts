// Agents that write through any node, and machines that send their sessions. Each says something until it is acknowledged, with the
// same key, and tells the ledger then.
import { hash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { sendSessions } from "#lib/fleet/send-sessions.ts";
import { sessionRecords } from "#lib/fleet/testing-fleet.ts";
import type { Ledger } from "./fault-ledger.ts";

export type Clients = {
  readonly ledger: Ledger;
  readonly token: string;
  readonly random: () => number;
  /** Nodes that somebody may try, paused ones too. */
  readonly urls: () => readonly string[];
  readonly signal: AbortSignal;
  /** Something was acknowledged, or a request failed. */
  readonly onAnswer: (isAcknowledged: boolean, what: string) => void;
  readonly timeoutMs: number;
};

type Ask = {
  readonly path: string;
  readonly key: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
};

/** Asks until it is answered; null where the run ends before. What is refused for good ends the run. */
async function untilAnswered(
  clients: Clients,
  { path, key, body, type }: Ask,
): Promise<Record<string, unknown> | null> {
  while (!clients.signal.aborted) {
    const urls = clients.urls();
    const url = urls[Math.floor(clients.random() * urls.length)];
    if (url === undefined) {
      await setTimeout(100);
      continue;
    }
    try {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${clients.token}`, "content-type": type, "idempotency-key": key },
        body,
        signal: AbortSignal.timeout(clients.timeoutMs),
      });
      const text = await response.text();
      if (response.ok) {
        clients.onAnswer(true, "");
        return JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;
      }
      const isPassing = response.status >= 500 || response.status === 409 || response.status === 401;
      clients.onAnswer(false, `${response.status} ${text.slice(0, 300)}`);
      if (!isPassing) throw new Refused(`${path}: ${response.status} ${text.slice(0, 500)}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      clients.onAnswer(false, String((error as Error).cause ?? error));
    }
    await setTimeout(50 + clients.random() * 200);
  }
  return null;
}

class Refused extends Error {}

/** Events that a session is given before another one begins. */
const LONGEST = 150;

export async function writer(clients: Clients, n: number): Promise<void> {
  const json = "application/json";
  for (let one = 0; !clients.signal.aborted; one++) {
    const name = `writer-${n}-${one}`;
    const begun = await untilAnswered(clients, {
      ...{ path: "/api/sessions", key: `${name}-begin`, type: json },
      body: JSON.stringify({ title: name, ...(one % 2 === 0 && { id: name }) }),
    });
    if (begun === null) return;
    // The answer is gone for good: another one is begun.
    if (begun["id"] === undefined) continue;
    const session = String(begun["id"]);
    for (let at = 0; at < LONGEST && !clients.signal.aborted; at++) {
      const mark = `${name}-${at}`;
      const key = `${mark}-key`;
      const kind = clients.random();
      if (kind < 0.8) {
        const marks = Array.from({ length: 1 + Math.floor(clients.random() * 3) }, (_, m) => `${mark}.${m}`);
        const records = marks.map((uuid, m) => ({
          ...{ record: "event", uuid, startsTurn: m === 0 },
          body: { type: m === 0 ? "user" : "assistant", text: `[[${uuid}]] ${"word ".repeat(clients.random() * 200)}` },
        }));
        const answer = await untilAnswered(clients, {
          path: `/api/sessions/${session}/events`,
          key,
          type: json,
          body: JSON.stringify({ records }),
        });
        if (answer === null) return;
        const seqs = answer["seqs"] as number[] | undefined;
        marks.forEach((said, m) => clients.ledger.told({ session, mark: said, seq: seqs?.[m] ?? null }));
        continue;
      }
      const bytes = Buffer.from(
        `[[${mark}]] ${"line of output\n".repeat(1 + clients.random() * (kind < 0.98 ? 1500 : 9000))}`,
      );
      const path =
        kind < 0.9
          ? `/api/sessions/${session}/outputs?tool=bash&call=${mark}`
          : `/api/sessions/${session}/artifacts?name=${mark}.txt`;
      const answer = await untilAnswered(clients, { path, key, type: "text/plain", body: bytes });
      if (answer === null) return;
      const digest = hash("sha256", bytes, "hex");
      const { pointer, decision } = answer as { pointer?: string; decision?: { seq: number; pointer: string | null } };
      if (kind >= 0.9) {
        if (pointer !== undefined) clients.ledger.toldOutput(session, pointer, digest);
      } else {
        clients.ledger.told({ session, mark: `call:${mark}`, seq: decision?.seq ?? null });
        if (decision?.pointer != null) clients.ledger.toldOutput(session, decision.pointer, digest);
      }
    }
  }
}

/** A machine whose sessions grow and are sent again and again. */
export async function sender(
  clients: Clients,
  archive: Archive,
  dir: string,
  n: number,
  everyMs: number,
): Promise<void> {
  const turns = new Map<string, string[]>();
  for (let round = 0; !clients.signal.aborted; round++) {
    const id = `0000000${n}-0000-4000-8000-${String(Math.floor(clients.random() * 6)).padStart(12, "0")}`;
    const prompts = [...(turns.get(id) ?? []), `round ${round} ${"word ".repeat(clients.random() * 400)}`];
    const logs = join(dir, "projects", "-home-user-shop");
    mkdirSync(logs, { recursive: true });
    const records = sessionRecords(id, "/home/user/shop", prompts).slice(-2);
    appendFileSync(join(logs, `${id}.jsonl`), records.map((one) => `${JSON.stringify(one)}\n`).join(""));
    turns.set(id, prompts);
    await importPaths(archive, [logs]);
    const urls = clients.urls();
    const to = urls[Math.floor(clients.random() * urls.length)];
    if (to === undefined) continue;
    const sentBefore = new Map([...turns].map(([one, all]) => [one, all.length]));
    try {
      const results = await sendSessions(archive, {
        ...{ to, token: clients.token, project: "faults", sender: `laptop-${n}`, sessions: null, exclude: [] },
        ...{
          mask: "none",
          dryRun: false,
          signal: AbortSignal.any([clients.signal, AbortSignal.timeout(clients.timeoutMs * 2)]),
        },
      });
      for (const { state, id: session, reason } of results)
        if (state === "sent" || state === "unchanged") {
          const of = [...sentBefore].find(([one]) => idOf(one) === session);
          if (of !== undefined) clients.ledger.toldSent(session, of[1]);
          clients.onAnswer(true, "");
        } else clients.onAnswer(false, `not sent: ${reason ?? ""}`);
    } catch (error) {
      clients.onAnswer(false, `not sent: ${(error as Error).message}`);
    }
    await setTimeout(everyMs * (0.5 + clients.random()));
  }
}

/** The id that a session of a file has, on any machine. */
const idOf = (native: string): string => `s_${hash("sha256", `claude-code:${native}`, "hex").slice(0, 16)}`;
