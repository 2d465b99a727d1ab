// How soon a line that an agent writes is an event that can be asked for: its files are looked at every 10 ms, and the events of its
// sessions are asked for again and again, as an open page does.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "../bench/bench-server.ts";
import type { EventsAnswer } from "#lib/wire/events-schema.ts";
import { AGENTS, watchedFolder } from "./agent-packages.ts";
import { ask, sessionIds } from "./run-sessions.ts";

const LOOK_MS = 10;
const ASK_MS = 40;
/** New sessions are looked for this often; each has its own address then. */
const LIST_MS = 120;

/** How long after its run the last line of an agent may come. */
const LONGEST_MS = 20_000;

/** Milliseconds from the line on disk to the event, one an event. */
/** By then the last rows of a database were read; they have no bytes in a file that could be awaited. */
const DATABASE_MS = 4000;

export const hasDatabase = (home: string): boolean => existsSync(join(home, watchedFolder("opencode"), "opencode.db"));

export type Latencies = {
  /** Of lines that were there when the session was first shown: a new file has to be found. */
  readonly first: readonly number[];
  readonly later: readonly number[];
};

export type Live = {
  readonly latencies: Latencies;
  readonly sessions: readonly string[];
  /** Files whose last line never came. */
  readonly unread: readonly string[];
};

/** Follows a run while `isRunning`, and afterwards until all its lines have arrived. */
export async function followLive(
  server: Server,
  folders: { readonly home: string; readonly project: string },
  isRunning: () => boolean,
): Promise<Live> {
  const growth = watchGrowth(folders.home);
  const next = new Map<string, number>();
  const latencies: { first: number[]; later: number[] } = { first: [], later: [] };
  let listedAt = 0;
  let giveUpAt = Number.POSITIVE_INFINITY;
  let restsAt = Number.POSITIVE_INFINITY;
  for (;;) {
    if (!isRunning()) {
      giveUpAt = Math.min(giveUpAt, Date.now() + LONGEST_MS);
      restsAt = Math.min(restsAt, Date.now() + (hasDatabase(folders.home) ? DATABASE_MS : 0));
    }
    if (Date.now() - listedAt > LIST_MS) {
      for (const id of await sessionIds(server, folders.project)) if (!next.has(id)) next.set(id, 1);
      listedAt = Date.now();
    }
    for (const [id, from] of next) {
      const answer = ask<EventsAnswer>(server, `/api/sessions/${id}/events?limit=500&from=${from}`);
      const { events } = await answer.catch(async (error: unknown) => {
        // Gemini CLI begins a file of the same session before it goes on in the one that it resumes: both are one session then.
        if ((await sessionIds(server, folders.project)).includes(id)) throw error;
        return { events: null };
      });
      if (events === null) {
        next.delete(id);
        continue;
      }
      const seen = growth.seen(events.map(({ raw }) => raw));
      latencies[from === 1 ? "first" : "later"].push(...seen);
      if (events.length > 0) next.set(id, events.at(-1)!.seq + 1);
    }
    if (Date.now() >= restsAt && (growth.unread().length === 0 || Date.now() > giveUpAt)) break;
    await sleep(ASK_MS);
  }
  growth.stop();
  // A sub-agent of whom only its parent's last line tells is listed with that line.
  for (const id of await sessionIds(server, folders.project)) if (!next.has(id)) next.set(id, 1);
  return { latencies, sessions: [...next.keys()], unread: growth.unread() };
}

type Range = { readonly file: string; readonly byteEnd: number };

type Growth = {
  /** Notes events that were just seen; how long each line had been there. */
  seen(ranges: readonly Range[]): number[];
  /** Files with lines of which no event was seen. */
  unread(): string[];
  stop(): void;
};

function watchGrowth(home: string): Growth {
  const sizes = new Map<string, { readonly size: number; readonly atMs: number }[]>();
  const read = new Map<string, number>();
  const look = (): void => {
    for (const path of sessionFiles(home)) {
      const size = sizeOf(path);
      const before = sizes.get(path) ?? [];
      if (size !== (before.at(-1)?.size ?? 0)) sizes.set(path, [...before, { size, atMs: Date.now() }]);
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    seen: (ranges) => {
      look();
      return ranges.flatMap(({ file, byteEnd }) => {
        read.set(file, Math.max(read.get(file) ?? 0, byteEnd));
        const written = sizes.get(file)?.find(({ size }) => size >= byteEnd);
        return written === undefined ? [] : [Math.max(0, Date.now() - written.atMs)];
      });
    },
    // A line's range ends before its line break. Gemini CLI ends with a line that says when it wrote, or its first message once more, which
    // is no event.
    unread: () => sessionFiles(home).filter((path) => (read.get(path) ?? 0) < spokenSize(path) - 1),
    stop: () => clearInterval(timer),
  };
}

const READ_FOLDERS = AGENTS.filter(({ isRead }) => isRead).map(({ id }) => watchedFolder(id));

/** The files of sessions that an agent has below its home. */
export function sessionFiles(home: string): string[] {
  return READ_FOLDERS.flatMap((folder) => {
    try {
      return readdirSync(join(home, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(home, folder, name));
    } catch {
      // The other agent's, or not made yet.
      return [];
    }
  });
}

const STAMP =
  /(?:\{"\$set":\{"(?:lastUpdated|sessionId)":"[^"]*"\}\}\n|\{"id":[^\n]*"type":"user","content":\[\{"functionResponse":[^\n]*\n|\{"\$set":\{"messages":\[\{[^\n]*"<session_context>[^\n]*\n)+$/;

function spokenSize(path: string): number {
  if (!path.includes("/.gemini/")) return sizeOf(path);
  const text = readFileSync(path, "utf8");
  return Buffer.byteLength(text.replace(STAMP, ""));
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
