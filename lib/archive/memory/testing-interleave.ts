// Random lives of a session of ours: turns told in pieces and twice, results that come late or never, compactions and undos in
// between and at the same time. Whatever happens, the log only grows, no call is parted from its result, no call that still
// waits is cut, and an undo brings back what the compaction took.
import { expect } from "vitest";
import fc from "fast-check";
import { isAppError } from "#lib/kernel/errors.ts";
import { closeTurn, createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { inArchive } from "../testing-archive.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { contextLog, lastSeqOf } from "./context-rows.ts";
import { ingest } from "./ingest-records.ts";
import { userRecord, calls, gives, request, said } from "./testing-run.ts";
import { findSession } from "../base/find-session.ts";

type Step =
  | { readonly do: "turn"; readonly calls: number; readonly late: number; readonly words: number }
  | { readonly do: "answer" }
  | { readonly do: "again" }
  | { readonly do: "close" }
  | { readonly do: "compact"; readonly tail: number; readonly meanwhile: boolean }
  | { readonly do: "undo"; readonly last: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("turn"), calls: fc.nat(3), late: fc.nat(2), words: fc.nat(60) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "answer" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "again" } as const) },
  { weight: 1, arbitrary: fc.constant({ do: "close" } as const) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("compact"), tail: fc.nat(3), meanwhile: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("undo"), last: fc.boolean() }) },
) as fc.Arbitrary<Step>;

export const interleavings = () =>
  fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), (steps) =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      const life = new Life(archive, id);
      for (const one of steps) {
        await life.do(one);
        life.look();
      }
      expect((await check(archive)).problems).toEqual([]);
    }),
  );

type Made = { readonly id: string; readonly before: readonly number[]; readonly at: number };

class Life {
  readonly #archive: Archive;
  readonly #id: string;
  readonly #pk: number;
  readonly #recorded = new Map<string, number>();
  readonly #records: Record<string, unknown>[] = [];
  /** Calls without their results, by turn. */
  readonly #open = new Map<string, number>();
  /** Calls whose results will never be taken. */
  readonly #over = new Set<string>();
  readonly #pairs = new Map<string, { call: number; result: number | null }>();
  #made: Made[] = [];
  #turn = 0;
  #closed = 0;
  #names = 0;

  constructor(archive: Archive, id: string) {
    this.#archive = archive;
    this.#id = id;
    this.#pk = findSession(archive, id);
  }

  async do(step: Step): Promise<void> {
    switch (step.do) {
      case "turn":
        return this.#tell(this.#turnOf(step));
      case "answer": {
        const [open] = [...this.#open].filter(([, turn]) => turn > this.#closed);
        return open === undefined ? undefined : this.#tell([gives(`r${open[0]}`, open[0], "late tide\n".repeat(20))]);
      }
      case "again":
        return this.#tell(this.#records.slice(-7));
      case "close":
        if (this.#turn > this.#closed) await this.#close();
        return;
      case "compact":
        return this.#compact(step);
      case "undo":
        return this.#undo(step.last ? this.#made.at(-1) : this.#made[0]);
    }
  }

  #turnOf({ calls: count, late, words }: Extract<Step, { do: "turn" }>): Record<string, unknown>[] {
    const n = ++this.#names;
    const text = (what: string): string => `${what} ${n}: ${"harbour gate pier ".repeat(words)}`;
    const ids = Array.from({ length: count }, (_, i) => `t${n}_${i}`);
    return [
      userRecord(`u${n}`, text("please")),
      ...ids.map((one) => calls(`c${one}`, one, text("cat"))),
      ...ids.slice(0, Math.max(0, count - late)).map((one) => gives(`r${one}`, one, text("got"))),
      said(`s${n}`, text("I decided that")),
    ];
  }

  async #tell(records: Record<string, unknown>[]): Promise<void> {
    if (records.length === 0) return;
    const { seqs } = await ingest(this.#archive, this.#id, records);
    records.forEach((record, i) => {
      const { uuid, body, startsTurn } = record as { uuid: string; body: Record<string, string>; startsTurn?: boolean };
      const seq = seqs[i]!;
      const known = this.#recorded.get(uuid);
      if (known !== undefined) return expect(seq).toBe(known);
      this.#recorded.set(uuid, seq);
      this.#records.push(record);
      if (startsTurn === true) this.#turn++;
      const call = body["toolCallId"];
      if (call === undefined) return;
      if (body["type"] === "tool_call") {
        this.#open.set(call, this.#turn);
        this.#pairs.set(call, { call: seq, result: null });
      } else {
        this.#open.delete(call);
        this.#pairs.get(call)!.result = seq;
      }
    });
  }

  async #close(): Promise<void> {
    for (let turn = this.#closed + 1; turn <= this.#turn; turn++) await closeTurn(this.#archive, this.#id, turn);
    this.#closed = this.#turn;
    for (const [call] of this.#open) this.#over.add(call);
    this.#open.clear();
  }

  async #compact({ tail, meanwhile }: Extract<Step, { do: "compact" }>): Promise<void> {
    const before = this.#context();
    const [answer] = await Promise.all([
      compactSession(this.#archive, this.#id, request({ tail, budgetChars: 700 })),
      meanwhile ? this.#tell(this.#turnOf({ do: "turn", calls: 2, late: 0, words: 5 })) : undefined,
    ]);
    if (answer.status === "nothing_to_compact") return;
    // Nothing was told since the last one: it is answered again.
    if (this.#made.some(({ id }) => id === answer.id)) return expect(answer.id).toBe(this.#made.at(-1)!.id);
    expect(answer.status).toBe("complete");
    expect(answer.tokensAfter).toBeLessThan(answer.tokensBefore);
    const { compactions } = this.#rows();
    this.#made.push({ id: answer.id!, before, at: compactions.find(({ id }) => id === answer.id)!.event });
    const parts = [...answer.whole, ...answer.summarised, ...answer.dropped].map(({ seq }) => seq);
    expect(new Set(parts).size).toBe(parts.length);
    expect(new Set(parts)).toEqual(new Set(before));
    const now = this.#context();
    for (const { seq } of answer.whole) expect(now).toContain(seq);
    for (const { seq } of [...answer.summarised, ...answer.dropped]) expect(now).not.toContain(seq);
  }

  async #undo(one: Made | undefined): Promise<void> {
    if (one === undefined) return;
    const isLast = one === this.#made.at(-1);
    const outcome = undoCompaction(this.#archive, one.id).then(
      () => "done",
      (error: unknown) => (isAppError(error) ? error.code : String(error)),
    );
    expect(await outcome).toBe(isLast ? "done" : "conflict");
    if (!isLast) return;
    this.#made = this.#made.slice(0, -1);
    // What stood there before stands again, and what came since stays.
    const now = this.#context();
    expect(now.filter((seq) => one.before.includes(seq))).toEqual(one.before);
  }

  #rows() {
    const compactions = this.#archive.sqlite.prepare("SELECT id, event_seq AS event FROM compactions").all() as {
      id: string;
      event: number;
    }[];
    return { compactions };
  }

  #context(): number[] {
    const { rows } = contextLog(this.#archive, this.#pk, lastSeqOf(this.#archive, this.#pk));
    return rows.filter(({ isSent }) => isSent).map(({ seq }) => seq);
  }

  /** What must hold after every step. */
  look(): void {
    const seqs = new Set(this.#context());
    for (const { call, result } of this.#pairs.values())
      if (result !== null && seqs.has(call) !== seqs.has(result))
        expect.fail(`call ${call} and result ${result} are parted`);
    for (const call of this.#open.keys()) expect(seqs.has(this.#pairs.get(call)!.call)).toBe(true);
    const last = lastSeqOf(this.#archive, this.#pk);
    const own = this.#made.length === 0 ? [] : [this.#made.at(-1)!.at + 1];
    // Nothing stands there that was not told, beside the last summary.
    const outcome = new Set([...this.#recorded.values(), ...own]);
    for (const seq of seqs) expect(outcome.has(seq) && seq <= last).toBe(true);
    // Told since the last compaction: it is there.
    const since = this.#made.at(-1)?.at ?? 0;
    for (const seq of this.#recorded.values()) if (seq > since) expect(seqs.has(seq)).toBe(true);
  }
}
