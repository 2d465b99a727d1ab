import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { searchQuery } from "./grep-search.ts";

const ARTIFACT = { pointer: "art:1", digest: "d" } as ArtifactView;
const SEARCH = { pattern: "leak", words: [], deadlineMs: 2000 };

const lines = (line: number) => ({
  type: "lines",
  lines: [{ line, text: "a leak", isContext: false, cut: false, start: 0 }],
});
const END = {
  type: "end",
  ok: true,
  failure: null,
  matches: 2,
  isCounted: true,
  omitted: 0,
  ms: 1,
  deadlineMs: 2000,
  runId: null,
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a search that was left while its lines came is made again when it is asked again", async () => {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  vi.stubGlobal("fetch", async (_path: string, init?: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        streams.push(stream);
        init?.signal?.addEventListener("abort", () => stream.error(new DOMException("cut", "AbortError")));
      },
    });
    return new Response(body);
  });
  const result = (at: number, piece: unknown) =>
    streams[at]?.enqueue(new TextEncoder().encode(`${JSON.stringify(piece)}\n`));
  // Each piece comes long after the one before it, so that it is told at once.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));

  const client = new QueryClient();
  const query = searchQuery(ARTIFACT, SEARCH);
  const first = new QueryObserver(client, query);
  const leave = first.subscribe(() => {});
  await vi.waitFor(() => expect(streams).toHaveLength(1));
  result(0, lines(1));
  await vi.waitFor(() => expect(client.getQueryData(query.queryKey)?.lines).toHaveLength(1));
  leave();
  await vi.waitFor(() => expect(client.isFetching()).toBe(0));

  const again = new QueryObserver(client, query);
  const end = again.subscribe(() => {});
  await vi.waitFor(() => expect(streams).toHaveLength(2));
  result(1, lines(1));
  result(1, lines(7));
  result(1, END);
  await vi.waitFor(() => expect(again.getCurrentResult().data?.end?.matches).toBe(2));
  expect(again.getCurrentResult().data?.lines.map(({ line }) => line)).toEqual([1, 7]);
  end();
  // What came to its end is not asked for again.
  const third = new QueryObserver(client, query);
  third.subscribe(() => {})();
  expect(streams).toHaveLength(2);
  client.clear();
});
