// grep: reads the options, rewrites the pattern, and lets an engine search where it can be killed.
import { fail } from "#lib/kernel/errors.ts";
import { parseGrepOptions, type GrepOptions } from "#lib/kernel/grep/grep-options.ts";
import { readPattern } from "#lib/kernel/grep/pattern.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { filesWithRipgrep, findRipgrep, searchWithRipgrep } from "./grep-ripgrep.ts";
import type { ScanTask, ScanResult } from "./grep-scan.ts";
import type { GrepEnd, GrepTask } from "./grep-task.ts";
import { createSlots } from "./slots.ts";
import type { GrepAnswer, GrepFilesAnswer, GrepFilesRequest, GrepLine, GrepRequest } from "./job-types.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type Grep = {
  search(request: GrepRequest): Promise<GrepAnswer>;
  /** Which of many files are worth a search. */
  files(request: GrepFilesRequest): Promise<GrepFilesAnswer>;
  close(): Promise<void>;
};

/** `re2` searches everything without ripgrep, as on a machine that it was not built for. */
export function createGrep(engine: "best" | "re2", size: number): Grep {
  const threads = createWorkerPool<ScanTask, ScanResult>({ entry: new URL("./grep-worker.ts", import.meta.url), size });
  const processes = createSlots(size);
  const closing = new AbortController();
  let ripgrep: Promise<string | null> | null = null;

  /** Runs it as soon as a process may begin; `busy` when none could in time. */
  async function inProcess<End>(
    given: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<End>,
  ): Promise<End | { readonly kind: "busy" }> {
    const signal = given ? AbortSignal.any([given, closing.signal]) : closing.signal;
    if (!(await processes.take(LIMITS.jobWaitMs, signal))) return { kind: "busy" };
    try {
      return await run(signal);
    } finally {
      processes.give();
    }
  }

  function searchFile(program: string, task: GrepTask & { path: string }, requested: GrepRequest): Promise<GrepEnd> {
    const { onLines, limits } = requested;
    return inProcess(requested.signal, (signal) =>
      searchWithRipgrep(program, task, {
        deadlineMs: limits.deadlineMs,
        signal,
        ...(onLines !== undefined && { onLines }),
      }),
    );
  }

  async function inThread(task: ScanTask, { limits, signal, onLines }: GrepRequest): Promise<GrepEnd> {
    const seen: GrepLine[] = [];
    const onMore = (part: unknown): void => {
      // What grep-worker.ts gives.
      const lines = part as readonly GrepLine[];
      seen.push(...lines);
      onLines?.(lines);
    };
    const ran = await threads.run(task, { deadlineMs: limits.deadlineMs, onMore, ...(signal && { signal }) });
    if (ran.kind === "crash") return { kind: "refused", message: `The search failed: ${ran.message}.` };
    if (ran.kind === "busy") return ran;
    if (ran.kind === "deadline") {
      const matches = seen.filter((line) => !line.isContext).length;
      return { kind: "deadline", result: { lines: seen, matches, shownMatches: matches } };
    }
    if ("refused" in ran.answer) return { kind: "refused", message: ran.answer.refused };
    return { kind: "answer", result: ran.answer.result };
  }

  return {
    async search(requested) {
      let given = 0;
      const { onLines } = requested;
      const count = (lines: readonly GrepLine[]): void => {
        given += lines.length;
        onLines!(lines);
      };
      const request = onLines === undefined ? requested : { ...requested, onLines: count };
      const startedAt = performance.now();
      const spent = (): number => performance.now() - startedAt;
      const read = readRequest(request);
      if ("message" in read) return { ok: false, ...read, ms: spent() };
      const { options } = read;
      const task = { ...read, limits: request.limits };
      if (options.only && options.invert && !options.count) return empty(spent());
      const { path } = request;
      const program = path === undefined || engine === "re2" ? null : await (ripgrep ??= findRipgrep());
      const end =
        path !== undefined && program !== null
          ? await searchFile(program, { ...task, path }, request)
          : await inThread(
              {
                ...task,
                input: path === undefined ? { text: request.text } : { path },
                isStreamed: onLines !== undefined,
              },
              request,
            );
      const answer = answerOf(end, request, options, spent());
      // What stands for good only now that nothing more comes.
      if (answer.ok && answer.lines.length > given) onLines?.(answer.lines.slice(given));
      return answer;
    },
    async files(request) {
      const startedAt = performance.now();
      const read = readRequest(request);
      if ("message" in read) return { ok: false, ...read, ms: 0 };
      const program = engine === "re2" ? null : await (ripgrep ??= findRipgrep());
      if (program === null) return { ok: true, files: new Set(request.paths), isAll: true };
      const { paths, deadlineMs } = request;
      const end = await inProcess(request.signal, (signal) =>
        filesWithRipgrep(program, { ...read, paths }, { deadlineMs, signal }),
      );
      if (end.kind === "busy" || end.kind === "refused") return refusedAnswer(end, performance.now() - startedAt);
      return { ok: true, files: end.files, isAll: end.kind === "answer" };
    },
    async close() {
      closing.abort();
      await threads.close();
    },
  };
}

/** The pattern and its options as the engines take them, or what is wrong with them. */
function readRequest({
  pattern,
  options: words,
}: Pick<GrepRequest, "pattern" | "options">):
  | Pick<GrepTask, "patterns" | "options">
  | { readonly kind: "option" | "pattern"; readonly message: string } {
  const options = parseGrepOptions(words);
  if (typeof options === "string") return { kind: "option", message: options };
  const patterns = readPattern(pattern, options);
  return typeof patterns === "string" ? { kind: "pattern", message: patterns } : { patterns, options };
}

const refusedAnswer = (
  end: Extract<GrepEnd, { kind: "busy" | "refused" }>,
  ms: number,
): Extract<GrepAnswer, { ok: false }> =>
  end.kind === "busy"
    ? { ok: false, kind: "busy", message: "Too many searches are running. Try again in a moment.", ms }
    : { ok: false, kind: "pattern", message: end.message, ms };

/** -o shows what matched, and of lines that do not match there is nothing to show. */
const empty = (ms: number): GrepAnswer => ({ ok: true, lines: [], matches: 0, isCounted: true, omitted: 0, ms });

function answerOf(end: GrepEnd, { limits }: GrepRequest, options: GrepOptions, ms: number): GrepAnswer {
  if (end.kind === "missing") fail("not_found", "The file to search no longer exists. It may have been deleted.");
  if (end.kind === "busy" || end.kind === "refused") return refusedAnswer(end, ms);
  const { lines, matches, shownMatches } = end.result;
  const isCounted = end.kind === "answer";
  if (!isCounted && lines.length === 0)
    return {
      ok: false,
      kind: "timeout",
      message: `The search ran over ${limits.deadlineMs} ms and was stopped. Search for something more specific, or read a part.`,
      ms,
    };
  if (options.count) return { ok: true, lines: [], matches, isCounted, omitted: 0, count: matches, ms };
  return { ok: true, lines, matches, isCounted, omitted: matches - shownMatches, ms };
}
