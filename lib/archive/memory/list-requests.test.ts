import { expect, test } from "vitest";
import { jsonl, SESSION, type Rec } from "#lib/formats/claude-code/testing-claude.ts";
import { digest, OTHER_RECORDS, SENT_AT, summarise } from "#lib/formats/claude-code/testing-claude-requests.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";
import { requestsAnswer, requestsQuery, sentRequestQuery } from "#lib/wire/sent-request-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { contextOf } from "./context.ts";
import { listRequests } from "./list-requests.ts";
import { sentRequestOf } from "./sent-request.ts";

const RECORDS: readonly Rec[] = OTHER_RECORDS.map((record) => ({ ...record, sessionId: SESSION }));

const imported = (
  records: readonly Rec[],
  work: (archive: Archive, id: string) => void | Promise<void>,
): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...records))]);
    await work(archive, files[0]!.sessions[0]!);
  });

test("all requests are listed, those of no call too, and each can be read by its id", () =>
  imported(RECORDS, (archive, id) => {
    const answered = requestsAnswer.parse(listRequests(archive, id, requestsQuery.parse({})));
    expect(
      answered.requests.map(({ requestId, call, purpose, messages }) => [requestId, call, purpose, messages.proven]),
    ).toEqual([
      ["req-1", 1, "conversation", 2],
      ["req-2", 2, "conversation", 4],
      ["req-3", null, "conversation", 5],
      ["req-4", 3, "conversation", 5],
      ["req-5", null, "compaction", 5],
    ]);
    expect(answered).toMatchObject({ total: 5, unanswered: 2, next: null, why: null });
    expect(answered.requests[2]).toMatchObject({
      ts: SENT_AT,
      model: "claude-opus-5-5",
      messages: { count: 5 },
      why: null,
    });
    for (const { requestId, seq, call } of answered.requests)
      expect(sentRequestOf(archive, id, { request: requestId })).toMatchObject({ isWhole: true, requestId, seq, call });
    expect(sentRequestOf(archive, id, { request: "req-3" }).body).toEqual(sentRequestOf(archive, id, { call: 3 }).body);
  }));

test("a compaction has its own request where the file holds one", () =>
  imported(RECORDS, (archive, id) => {
    const { compactions, requests } = listRequests(archive, id, requestsQuery.parse({ answered: "no" }));
    expect(requests.map(({ requestId }) => requestId)).toEqual(["req-3", "req-5"]);
    expect(compactions.map(({ requestId, requestSeq }) => [requestId, requestSeq])).toEqual([
      ["req-5", requests[1]!.seq],
      [null, null],
    ]);
  }));

test("a compaction whose own request is in no file is named, with what the agent's totals have beyond its calls", async () => {
  const talk = RECORDS.filter((record) => !String(record["type"]).startsWith("api-request"));
  const totals = { "claude-opus-5-5": { inputTokens: 1000, outputTokens: 500, cacheReadInputTokens: 20_000 } };
  const costs = { type: "cost-state", sessionId: SESSION, totalCostUSD: 1, modelUsage: totals };
  await imported([...talk, costs], (archive, id) => {
    const { why, compactions, beyond } = requestsAnswer.parse(listRequests(archive, id, requestsQuery.parse({})));
    expect(why).not.toBeNull();
    expect(compactions.map(({ requestId }) => requestId)).toEqual([null, null]);
    // The calls have 1,000 read and 50 written each.
    expect(beyond!.tokens).toBeGreaterThan(15_000);
  });
  await imported(talk, (archive, id) => {
    expect(listRequests(archive, id, requestsQuery.parse({}))).toMatchObject({ beyond: null, compactions: [{}, {}] });
  });
});

test("the list comes in pages", () =>
  imported(RECORDS, (archive, id) => {
    const seen: string[] = [];
    for (let from: number | null = 1; from !== null;) {
      const page = listRequests(archive, id, requestsQuery.parse({ from, limit: 2 }));
      seen.push(...page.requests.map(({ requestId }) => requestId));
      from = page.next;
    }
    expect(seen).toEqual(["req-1", "req-2", "req-3", "req-4", "req-5"]);
    expect(requestsQuery.safeParse({ limit: 501 }).success).toBe(false);
  }));

test("the context at a request's record is that request", () =>
  imported(RECORDS, async (archive, id) => {
    const { requests } = listRequests(archive, id, requestsQuery.parse({ answered: "no" }));
    const at = (seq: number) => contextOf(archive, id, contextQuery.parse({ at: seq, as: "sent" }));
    const failed = await at(requests[0]!.seq);
    expect(failed).toMatchObject({ as: "sent", call: null, request: { id: "req-3", purpose: "conversation" } });
    expect(failed.messages.at(-1)).toMatchObject({ label: "On.", change: "new" });
    expect(JSON.parse(failed.payload.json)).toEqual(sentRequestOf(archive, id, { request: "req-3" }).body);
    const own = await at(requests[1]!.seq);
    expect(own.request).toEqual({ id: "req-5", source: "compact", purpose: "compaction" });
    expect(own.messages.at(-1)!.label).toBe("Summarise.");
    const broken = RECORDS.filter((record) => record["hash"] !== digest(summarise));
    await imported(broken, async (other, session) => {
      const list = listRequests(other, session, requestsQuery.parse({ answered: "no" })).requests;
      expect(list[1]!.why).toBe("1 of its 5 messages is not in the file.");
      const context = await contextOf(other, session, contextQuery.parse({ at: list[1]!.seq, as: "sent" }));
      expect(context).toMatchObject({ as: "anthropic", isSentKnown: false });
      expect(context.whyNotSent).toContain("1 of its 5 messages is not in the file");
    });
  }));

test("a request that is not of this session, or none, is refused; a file without requests says so", async () => {
  await imported(RECORDS, (archive, id) => {
    for (const name of ["req-9", "", "x".repeat(200)])
      expect(() => sentRequestOf(archive, id, { request: name })).toThrow(`No request "${name.slice(0, 80)}"`);
  });
  const talk = RECORDS.filter((record) => !String(record["type"]).startsWith("api-request"));
  await imported(talk, (archive, id) => {
    expect(listRequests(archive, id, requestsQuery.parse({}))).toMatchObject({
      total: 0,
      requests: [],
      why: "This session's file does not hold the requests that were sent.",
    });
    expect(() => sentRequestOf(archive, id, { request: "req-1" })).toThrow('No request "req-1" in this session.');
  });
  for (const query of [{}, { call: 1, request: "req-1" }, { request: "" }, { call: 0 }])
    expect(sentRequestQuery.safeParse(query).success).toBe(false);
});
