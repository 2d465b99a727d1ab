// The door over HTTP: a session that a running Plimsoll holds, through the library's client.
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Plimsoll } from "#lib/client/index.ts";
import type { RemoteSession } from "#lib/client/index.ts";
import { OWN_SYSTEM, type OwnMemory } from "./own-memory.ts";
import { ownTools } from "./own-tools.ts";
import type { Assembled, ModelAnswer, OwnCall, OwnJob } from "./own-types.ts";
import type { Body } from "./script-types.ts";

export async function httpMemory(job: OwnJob): Promise<OwnMemory> {
  const { server, name, model, budget, image } = job;
  const plimsoll = new Plimsoll(server);
  const compaction = { contextTokens: budget, safetyMarginTokens: 0, tail: 1 };
  const session = await plimsoll.createSession({ id: name, title: name, agentName: "Ours", model, compaction });
  if (session.held?.created === true)
    await session.addEvents([{ record: "event", body: { type: "system", subtype: "base", text: OWN_SYSTEM } }]);
  let epoch: number | undefined;
  return {
    async undo() {
      const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
      const path = `/api/compactions/${encodeURIComponent(lastCompaction(job))}/undo`;
      const answer = await fetch(server.url + path, { method: "POST", headers, body: "{}" });
      if (!answer.ok) throw new Error(`The undoing was answered with ${answer.status}: ${await answer.text()}`);
    },
    async begin(text, withImage) {
      const images = withImage ? { images: [{ mediaType: image.mediaType, attachment: 0 }] } : {};
      const attachments = withImage ? { attachments: [image] } : {};
      await session.addEvents([
        { record: "event", startsTurn: true, body: { type: "user", text, ...images }, ...attachments },
      ]);
    },
    async next() {
      const sent = await session.nextRequest({ as: job.as });
      epoch = sent.epoch;
      return {
        request: sent.request as Body,
        epoch,
        didCompact: sent.didCompact,
        compaction: sent.compaction?.status ?? null,
        compactionId: sent.compaction?.id ?? null,
        at: sent.at,
      };
    },
    answered: async (answer) =>
      void (await session.addEvents(recordsOf(answer, model), epoch === undefined ? {} : { epoch })),
    async run(calls) {
      await Promise.all(calls.map((call) => runCall(session, call)));
    },
    close: () => undefined,
  };
}

/** The last compaction that this agent noted, in an earlier process too. */
export function lastCompaction({ folder }: OwnJob): string {
  const path = join(folder, "assembled.jsonl");
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  const found = lines.map((line) => (JSON.parse(line) as Assembled).compactionId).findLast((id) => id !== null);
  if (found === undefined || found === null) throw new Error("There is no compaction to take back.");
  return found;
}

function recordsOf({ id, thinking, text, calls, usage }: ModelAnswer, model: string): object[] {
  const { uncached, cacheRead, cacheWrite, output, reasoning } = usage;
  const ts = new Date().toISOString();
  const event = (body: object): object => ({ record: "event", ts, call: id, body });
  return [
    {
      record: "call",
      key: id,
      ts,
      model,
      usage: { inputUncached: uncached, cacheRead, cacheWrite, output, reasoning, origin: "reported" },
    },
    ...(thinking === "" ? [] : [event({ type: "reasoning", text: thinking })]),
    ...(text === "" ? [] : [event({ type: "assistant", text })]),
    ...calls.map(({ id: toolCallId, name, input, native }, i) =>
      // The first call of an answer carries what the provider wants back with all of them.
      event({
        type: "tool_call",
        toolCallId,
        toolName: name,
        input,
        ...(i === 0 && native !== undefined && { native }),
      }),
    ),
  ];
}

/** Runs a tool, and lets the server decide what of its output the model sees. */
async function runCall(session: RemoteSession, { id: toolCallId, name: toolName, input }: OwnCall): Promise<void> {
  const { output, isError } = await outputOf(session, toolName, input);
  await session.recordOutput(output, { toolName, toolCallId, isError, input });
}

async function outputOf(
  session: RemoteSession,
  name: string,
  input: unknown,
): Promise<{ readonly output: string; readonly isError: boolean }> {
  const tool = ownTools.find((one) => one.name === name);
  if (tool === undefined) {
    const { text, isError } = await session.tool(name, input as object);
    return { output: text, isError };
  }
  try {
    return { output: tool.execute(input), isError: false };
  } catch (error) {
    return { output: (error as Error).message, isError: true };
  }
}
