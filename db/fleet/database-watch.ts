// Whether a database answers at all. A machine that is frozen, or a network that drops what is sent, closes no connection: questions would
// wait on them for minutes. When one waits for long, another connection is asked; where that has no answer either, all are told.
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { UnderWay } from "./under-way.ts";

export type WatchTimes = {
  /** How long a question may wait before it is looked whether anything answers (milliseconds). Many are slow, and are left alone. */
  readonly waitMs: number;
  /** How long that may take. */
  readonly answerMs: number;
  /** While nothing answers, it is looked again after so long. */
  readonly againMs: number;
};

const TIMES: WatchTimes = { waitMs: 10_000, answerMs: 8000, againMs: 1000 };
/** Time for an answer that came while this process was busy. */
const READ_MS = 500;

export type DatabaseWatch = {
  /** Fails where the database does not answer at all: at once, while that is known. Or not within this time, where it is given. */
  ask<T>(run: () => Promise<T>, withinMs?: number): Promise<T>;
  close(): void;
};

export function watchDatabase(url: string, { waitMs, answerMs, againMs }: WatchTimes = TIMES): DatabaseWatch {
  const underWay = new UnderWay();
  const stop = new AbortController();
  let isSilent = false;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || stop.signal.aborted) return;
    isLooking = true;
    while (!stop.signal.aborted) {
      isSilent = !(await answers(url, answerMs));
      if (!isSilent) break;
      underWay.end(silence());
      await sleep(againMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
    isLooking = false;
  }

  function ask<T>(run: () => Promise<T>, withinMs?: number): Promise<T> {
    if (isSilent) return Promise.reject(silence());
    const timer = setInterval(() => void look(), waitMs).unref();
    const answer = underWay.ask(run).finally(() => clearInterval(timer));
    return withinMs === undefined
      ? answer
      : Promise.race([answer, sleep(withinMs, undefined, { ref: false }).then(() => Promise.reject(silence()))]);
  }

  return { ask, close: () => stop.abort() };
}

/** False where nothing comes back. A refusal is an answer: those who wait are told by their own connections. */
async function answers(url: string, withinMs: number): Promise<boolean> {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: withinMs / 1000,
    onnotice: () => undefined,
  });
  const late = new AbortController();
  const asked = sql`SELECT 1`.then(
    () => true,
    (error: { code?: string }) => error.code !== "CONNECT_TIMEOUT",
  );
  const silent = sleep(withinMs, undefined, { signal: late.signal, ref: false })
    .then(() => sleep(READ_MS, undefined, { ref: false }))
    .then(
      () => false,
      () => false,
    );
  const isThere = await Promise.race([asked, silent]);
  late.abort();
  void sql.end({ timeout: 0 }).catch(() => undefined);
  return isThere;
}

/** As the driver tells of a connection that did not come about. */
const silence = (): Error => Object.assign(new Error("The database is silent."), { code: "CONNECTION_SILENT" });
