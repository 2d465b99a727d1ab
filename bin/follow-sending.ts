// Sends what this machine's sessions add to a fleet, while the server runs and a person has switched it on. What changes is sent
// when it has been quiet for a moment; a fleet that is away, or refuses a session, is tried again, less and less often, for as long as
// it takes.
import { hostname } from "node:os";
import { Worker } from "node:worker_threads";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readSending, saveSending, sendingOf, type Sending } from "#lib/archive/settings/sending-setting.ts";
import type { SentResult } from "#lib/fleet/send-sessions.ts";
import type { SendingDoor } from "#lib/http/app-context.ts";
import type { Changes } from "#lib/http/changes.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SendingPreview, SendingState, SentCounts } from "#lib/wire/sending-schema.ts";
import { errorOf } from "./refused-error.ts";
import type { FromSender, SendingOrder } from "./sending-worker.ts";

/** Milliseconds. A turn of an agent writes its file many times. */
const PAUSES = { quiet: 10_000, most: 60_000, away: 30_000, longest: 15 * 60_000 } as const;
type Pauses = { readonly [name in keyof typeof PAUSES]: number };

/** How often the fleet says what it lacks of what was sent (milliseconds). */
const LACKING_MS = 60 * 60_000;

/** Rows of a dry run that are shown. */
const ROWS = 500;

const none = (): SentCounts => ({ sent: 0, unchanged: 0, excluded: 0, deleted: 0, failed: 0, objects: 0, bytes: 0 });

export function followSending(
  archive: Archive,
  changes: Changes,
  pauses: Pauses = PAUSES,
): SendingDoor & { start(): void; close(): Promise<void> } {
  let dirtySince: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let round: { readonly worker: Worker; readonly ended: Promise<void> } | null = null;
  let failures = 0;
  let lackingAskedAt = Number.NEGATIVE_INFINITY;
  let state: SendingState = { phase: "off", project: null, last: null, nextAt: null, reason: null };
  let unsubscribe = (): void => undefined;

  function wake(ms: number): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => attempt(run), ms).unref();
    state = { ...state, nextAt: new Date(Date.now() + ms).toISOString() };
  }

  /** Later each time: a part of the fleet is away, or refuses a session for now. */
  const wakeLater = (): void => wake(Math.min(pauses.away * 2 ** failures++, pauses.longest));

  /** What a timer cannot read, a damaged page or a key, is tried again: nobody else would hear of it, and the server would end. */
  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isAppError(error)) console.error("Sending stopped:", error);
      wakeLater();
      state = { ...state, phase: "away", reason: (error as Error).message };
    }
  }

  function noteChange(): void {
    dirtySince ??= Date.now();
    if (state.phase === "waiting") wake(Math.max(0, Math.min(pauses.quiet, dirtySince + pauses.most - Date.now())));
  }

  function run(): void {
    timer = null;
    const sending = readSending(archive);
    if (round !== null) return;
    if (!sending.on || sending.token === null)
      return void (state = { ...state, phase: "off", nextAt: null, reason: null });
    const counts = none();
    let reason: string | null = null;
    dirtySince = null;
    state = { ...state, phase: "sending", nextAt: null };
    const asksLacking = performance.now() - lackingAskedAt >= LACKING_MS;
    const { worker, ended } = sendOnce(
      archive,
      { ...orderOf(sending, false), asksLacking },
      {
        onProject: (project) => {
          if (isOurs()) state = { ...state, project };
        },
        onFamily: (result) => {
          add(counts, result);
          if (result.state === "failed") reason ??= result.reason;
        },
      },
    );
    const isOurs = (): boolean => round?.worker === worker;
    round = {
      worker,
      ended: ended.then(
        () => {
          if (!isOurs()) return;
          round = null;
          if (counts.failed === 0) failures = 0;
          if (asksLacking) lackingAskedAt = performance.now();
          state = {
            ...state,
            phase: "waiting",
            last: { ...counts, at: new Date().toISOString() },
            nextAt: null,
            reason,
          };
          if (dirtySince !== null) wake(pauses.quiet);
          else if (counts.failed > 0) wakeLater();
        },
        (error: unknown) => {
          if (!isOurs()) return;
          round = null;
          if (!isAppError(error)) console.error("Sending stopped:", error);
          const isAway = isAppError(error) && error.code === "timeout";
          state = { ...state, phase: isAway ? "away" : "stopped", nextAt: null, reason: (error as Error).message };
          if (isAway) wakeLater();
        },
      ),
    };
  }

  async function stopRound(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const running = round;
    round = null;
    await running?.worker.terminate();
  }

  /** Begins anew with the setting that is kept. */
  async function restart(): Promise<void> {
    await stopRound();
    failures = 0;
    lackingAskedAt = Number.NEGATIVE_INFINITY;
    begin();
  }

  function begin(): void {
    const { on, token } = readSending(archive);
    state = { ...state, project: null, phase: on && token !== null ? "waiting" : "off", nextAt: null, reason: null };
    if (state.phase === "waiting") wake(0);
  }

  return {
    read() {
      const { token, ...setting } = readSending(archive);
      return { ...setting, hasToken: token !== null, state };
    },
    async save(request) {
      await saveSending(archive, request);
      await restart();
      return this.read();
    },
    async sendNow() {
      await restart();
      return this.read();
    },
    async preview(request, signal) {
      const sending = sendingOf(archive, { ...request, on: true });
      const rows: SentResult[] = [];
      let project = "";
      const { worker, ended } = sendOnce(archive, orderOf(sending, true), {
        onProject: (name) => (project = name),
        onFamily: (result) => rows.push(result),
      });
      const stop = (): void => void worker.terminate();
      signal.addEventListener("abort", stop, { once: true });
      try {
        await ended;
      } finally {
        signal.removeEventListener("abort", stop);
      }
      return previewOf(project, rows);
    },
    start() {
      unsubscribe = changes.subscribe(null, (_, { type }) => {
        if (type === "session" || type === "sessions" || type === "import") noteChange();
      });
      attempt(begin);
    },
    async close() {
      unsubscribe();
      await stopRound();
    },
  };
}

const orderOf = ({ to, token, project, exclude, mask }: Sending, dryRun: boolean): SendingOrder => ({
  ...{ to, token: token!, project, exclude, mask, dryRun },
  sender: hostname(),
  sessions: null,
});

function sendOnce(
  archive: Archive,
  order: SendingOrder,
  { onProject, onFamily }: { onProject: (project: string) => void; onFamily: (result: SentResult) => void },
): { worker: Worker; ended: Promise<void> } {
  const worker = new Worker(new URL("./sending-worker.ts", import.meta.url), {
    workerData: { dir: archive.dir, order },
  });
  worker.unref();
  const ended = new Promise<void>((done, failed) => {
    worker.on("message", (message: FromSender) => {
      if (message.type === "family") onFamily(message.result);
      else if (message.type === "project") onProject(message.project);
      else if (message.type === "done") done();
      else failed(errorOf(message.refused));
    });
    worker.once("error", failed);
    worker.once("exit", () => failed(new Error("The thread that sends was ended.")));
  });
  return { worker, ended };
}

function add(counts: SentCounts, { state, sentObjects, sentBytes }: SentResult): void {
  counts[state === "would send" ? "sent" : state] += 1;
  counts.objects += sentObjects;
  counts.bytes += sentBytes;
}

const ORDER = ["failed", "would send", "excluded", "deleted", "unchanged"] as const;

function previewOf(project: string, results: readonly SentResult[]): SendingPreview {
  const sums = none();
  for (const result of results) add(sums, result);
  const rows = results.flatMap(({ state, sentObjects, sentBytes, ...row }) =>
    state === "sent" ? [] : [{ ...row, state, objects: sentObjects, bytes: sentBytes }],
  );
  rows.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return { project, rows: rows.slice(0, ROWS), total: rows.length, sums };
}
