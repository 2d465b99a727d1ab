import { expect, test } from "vitest";
import { jsonl, prompt } from "#lib/formats/claude-code/testing-claude.ts";
import {
  came,
  MARK,
  reminder,
  said,
  SESSION_RECORDS,
  shape,
} from "#lib/formats/claude-code/testing-claude-requests.ts";
import { sentRequestAnswer } from "#lib/wire/sent-request-schema.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { sentRequestOf } from "./sent-request.ts";

const imported = (records: readonly unknown[], work: (ask: (call: number) => unknown) => void): Promise<void> =>
  inArchive(async (archive, logs) => {
    const { files } = await importPaths(archive, [put(logs, "session.jsonl", jsonl(...records))]);
    const id = files[0]!.sessions[0]!;
    work((call) => sentRequestAnswer.parse(sentRequestOf(archive, id, { call })));
  });

// Lines that carry no uuid of their own name the session as every line does.
const RECORDS = SESSION_RECORDS.map((record) =>
  record["sessionId"] === "s" ? { ...record, sessionId: prompt("p", 1, "")["sessionId"] } : record,
);

test("each call of a session whose file holds its requests has the body that was sent", () =>
  imported(RECORDS, (ask) => {
    expect(ask(1)).toMatchObject({
      requestId: "req-1",
      isWhole: true,
      source: "sdk",
      messages: { count: 2, proven: 2 },
    });
    expect(ask(2)).toMatchObject({
      requestId: "req-2",
      isWhole: true,
      why: null,
      body: {
        model: "claude-opus-5-5",
        tools: shape.tools,
        messages: [
          reminder,
          { role: "system", content: "# Environment\nharbour" },
          said,
          { role: "user", content: [{ ...came.content[0], cache_control: MARK }] },
        ],
      },
    });
  }));

test("without such records, or without the answer's word on it, there is none, and it says why", async () => {
  const talk = RECORDS.filter(({ type }) => type === "user" || type === "assistant");
  await imported(talk, (ask) =>
    expect(ask(1)).toMatchObject({ isWhole: false, body: null, why: expect.stringContaining("does not hold") }),
  );
  const unnamed = RECORDS.map((record) => ({ ...record, requestRef: undefined }));
  await imported(unnamed, (ask) =>
    expect(ask(2)).toMatchObject({ isWhole: false, body: null, why: expect.stringContaining("does not name") }),
  );
});

test("a call that is not there is said", () =>
  imported(RECORDS, (ask) => expect(() => ask(3)).toThrow("No call 3 in this session. It has 2 calls.")));
