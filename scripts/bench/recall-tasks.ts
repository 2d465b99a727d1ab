// The tasks of `--only recall` that run in a process of their own, as those of tasks.ts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemHost } from "#bin/system-host.ts";
import { closeArchive, openArchive } from "#lib/archive/archive.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { recall } from "#lib/archive/memory/recall-session.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import { RecallIndex } from "#lib/kernel/memory/recall/recall-index.ts";
import { random, uuidOf } from "./generate-sessions.ts";
import { momentsOf, plainBm25, sessionsIn, type Output, type SessionMoments } from "./recall-moments.ts";

/** Hits among the first 1, 5 and 10. */
export type Hits = readonly [number, number, number];

export type RecallResult = {
  readonly moments: number;
  readonly sessions: number;
  /** Candidates of the median moment. */
  readonly candidates: number;
  readonly ours: Hits;
  readonly plain: Hits;
  readonly plainWhole: Hits;
  readonly recency: Hits;
  /** The largest block with five items (tokens, estimated); 0 where none was written. */
  readonly tokens: number;
};

export type RecallSpeed = {
  readonly artifacts: number;
  readonly firstMs: number;
  readonly ms: readonly number[];
  /** The same in time of the processor: a busy machine does not bend it. */
  readonly cpuMs: readonly number[];
  readonly asNoteMs: readonly number[];
};

type Params = {
  readonly paths: readonly string[];
  readonly dir: string;
  readonly count?: number;
  readonly seed?: number;
};

/** What a recall is told of an output: its beginning, as an event keeps it. */
const BEGINNING = 2048;
const POSITIONS = [1, 5, 10] as const;

class RecallCounter {
  readonly hits: [number, number, number] = [0, 0, 0];
  note(paths: readonly (string | null)[], path: string): void {
    const position = paths.indexOf(path);
    POSITIONS.forEach((count, i) => {
      if (position >= 0 && position < count) this.hits[i]!++;
    });
  }
}

export const RECALL_TASKS = {
  /** Every output of 500 bytes and more as a candidate: as it would be in a session whose outputs are offloaded early. */
  async "recall-outputs"({ paths, dir, count = 500 }: Params): Promise<RecallResult> {
    return judged(paths, dir, count, async (_, { outputs, uses }, { query, seq, seen }) => {
      const index = new RecallIndex();
      let used = 0;
      const useBefore = (position: number): void => {
        for (; used < uses.length && uses[used]!.seq < position; used++)
          for (const subject of uses[used]!.subjects) index.use(subject, uses[used]!.seq);
      };
      outputs.slice(0, seen).forEach((output, i) => {
        useBefore(output.seq);
        index.add(docOf(output, i));
      });
      useBefore(seq);
      const { ranked } = index.rank({ query, before: seq, limit: 10 });
      return { paths: ranked.map(({ doc }) => doc.path), tokens: 0 };
    });
  },

  /** What the archive keeps as artifacts, asked through its recall. */
  async "recall-artifacts"({ paths, dir }: Params): Promise<RecallResult> {
    return judged(paths, dir, "artifacts", async (archive, { id, outputs }, { query, seq }) => {
      const pathOf = new Map(outputs.map(({ pointer, subjects }) => [pointer, subjects.path]));
      const ask = (k: number) => recall(archive, id, { query, at: seq, k, maxChars: k * 400 });
      const [five, ten] = [await ask(5), await ask(10)];
      if (JSON.stringify(five.items) !== JSON.stringify(ten.items.slice(0, 5)))
        throw new Error(`Five of ten are not the same five at event ${seq} of ${id}.`);
      return {
        paths: ten.items.map(({ pointer }) => pathOf.get(pointer) ?? null),
        tokens: estimateTokens(Buffer.byteLength(five.text)),
      };
    });
  },

  /** A session with so many artifacts: the first answer, which makes the index, and the following ones. */
  async "recall-speed"({ dir, count = 10_000, seed = 1 }: Params): Promise<RecallSpeed> {
    mkdirSync(dir, { recursive: true });
    const path = join(dir, "session.jsonl");
    const { lines, question } = manyOutputs(count, seed);
    writeFileSync(path, lines);
    const archive = await openArchive({ dir: join(dir, "archive"), host: systemHost() });
    try {
      const { files } = await importPaths(archive, [path]);
      const id = files[0]!.sessions[0]!;
      const timed = async (of: typeof archive): Promise<number> => {
        const query = question();
        const startedAt = performance.now();
        const { items } = await recall(of, id, { query });
        const took = performance.now() - startedAt;
        if (items.length !== 8) throw new Error(`${items.length} of 8 items were recalled.`);
        return took;
      };
      const firstMs = await timed(archive);
      const asNoteMs: number[] = [];
      for (let run = 0; run < 200; run++) asNoteMs.push(await timed(archive));
      // A reader leaves the note to somebody else: what is left is the search itself.
      const reader = await openArchive({ dir: join(dir, "archive"), host: systemHost(), mode: "read" });
      await timed(reader);
      const ms: number[] = [];
      const cpuMs: number[] = [];
      for (let run = 0; run < 200; run++) {
        const usedBefore = process.cpuUsage();
        ms.push(await timed(reader));
        const { user, system } = process.cpuUsage(usedBefore);
        cpuMs.push((user + system) / 1000);
      }
      await closeArchive(reader);
      const artifacts = archive.sqlite.prepare("SELECT count(*) FROM artifacts").pluck().get() as number;
      return { artifacts, firstMs, ms, cpuMs, asNoteMs };
    } finally {
      await closeArchive(archive);
    }
  },
};

type Archived = Awaited<ReturnType<typeof openArchive>>;
type Answer = { readonly paths: readonly (string | null)[]; readonly tokens: number };
type Ask = (archive: Archived, session: SessionMoments, moment: SessionMoments["moments"][number]) => Promise<Answer>;

async function judged(
  paths: readonly string[],
  dir: string,
  least: number | "artifacts",
  ask: Ask,
): Promise<RecallResult> {
  const archive = await openArchive({ dir, host: systemHost() });
  try {
    await importPaths(archive, paths);
    const [ours, plain, whole, recency] = [
      new RecallCounter(),
      new RecallCounter(),
      new RecallCounter(),
      new RecallCounter(),
    ];
    const candidates: number[] = [];
    let sessions = 0;
    let tokens = 0;
    for (const pk of sessionsIn(archive)) {
      const session = await momentsOf(archive, pk, least);
      if (session.moments.length > 0) sessions++;
      const before = ours.hits[1];
      for (const moment of session.moments) {
        const seen = session.outputs.slice(0, moment.seen);
        const pathsOf = (positions: readonly number[]) => positions.map((position) => seen[position]!.subjects.path);
        plain.note(pathsOf(plainBm25(seen, moment.query, BEGINNING)), moment.path);
        whole.note(pathsOf(plainBm25(seen, moment.query, Infinity)), moment.path);
        recency.note(seen.map(({ subjects }) => subjects.path).toReversed(), moment.path);
        const answer = await ask(archive, session, moment);
        ours.note(answer.paths, moment.path);
        tokens = Math.max(tokens, answer.tokens);
        candidates.push(seen.length);
      }
      if (session.moments.length > 0)
        console.error(`${session.id}: ${ours.hits[1] - before} of ${session.moments.length} among five`);
    }
    candidates.sort((a, b) => a - b);
    return {
      moments: candidates.length,
      sessions,
      candidates: candidates[candidates.length >> 1] ?? 0,
      ours: ours.hits,
      plain: plain.hits,
      plainWhole: whole.hits,
      recency: recency.hits,
      tokens,
    };
  } finally {
    await closeArchive(archive);
  }
}

const docOf = ({ subjects, toolName, seq, text }: Output, i: number) => ({
  pointer: String(i),
  artifactId: String(i),
  position: seq,
  subject: subjects.main,
  name: subjects.path?.split("/").at(-1) ?? null,
  toolName,
  path: subjects.path,
  text: `${subjects.path === null ? subjects.input : ""} ${text.slice(0, BEGINNING)}`,
});

const RECORD = {
  parentUuid: null,
  isSidechain: false,
  userType: "external",
  cwd: "/home/ada/harbour",
  version: "2.1.4",
};

/** A session of one-file reads, a third of them again; identifiers are as frequent as in code: few often, most seldom. */
function manyOutputs(count: number, seed: number): { lines: string; question: () => string } {
  const next = random(seed);
  const parts =
    "read write load find make plan call turn path name byte line blob file view list rank word size time".split(" ");
  const part = (): string => parts[Math.floor(next() * parts.length)]!;
  const names = Array.from(
    { length: 20_000 },
    (_, i) => `${part()}${part().replace(/^./, (c) => c.toUpperCase())}${i.toString(36)}`,
  );
  const name = (): string => names[Math.floor(next() ** 3 * names.length)]!;
  const text = (words: number): string =>
    Array.from({ length: words }, () => (next() < 0.5 ? part() : name())).join(" ");
  const files: string[] = [];
  const lines: string[] = [];
  const sessionId = uuidOf(seed, 0);
  const say = (type: string, serial: number, message: object): void => {
    const uuid = uuidOf(seed, serial);
    const timestamp = new Date(Date.UTC(2026, 0, 5) + serial * 1000).toISOString();
    lines.push(`${JSON.stringify({ ...RECORD, type, uuid, sessionId, timestamp, message })}\n`);
  };
  say("user", 1, { role: "user", content: "Read everything." });
  for (let i = 0; i < count; i++) {
    const again = files.length > 100 && next() < 0.33;
    const path = again ? files[Math.floor(next() * files.length)]! : `/home/ada/harbour/src/${name()}/${name()}.ts`;
    if (!again) files.push(path);
    const id = `toolu_${i}`;
    say("assistant", 2 * i + 2, {
      role: "assistant",
      id: `msg_${i}`,
      content: [{ type: "tool_use", id, name: "Read", input: { file_path: path } }],
    });
    say("user", 2 * i + 3, { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text(700) }] });
  }
  return { lines: lines.join(""), question: () => text(120) };
}
