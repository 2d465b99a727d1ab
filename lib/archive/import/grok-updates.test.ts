// What Grok's turns used stands among each piece of its answers: the file is soon larger than what is read beside a transcript.
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { showSession } from "../sessions/show-session.ts";
import { inFolder, put, withArchive } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const ID = "019f75d0-ebe1-7db0-a59a-60af9ffa9e71";

test("turns of a long session are counted, from a file that is too large to be kept", () =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const update = (more: object): string =>
        `${JSON.stringify({ timestamp: 1_772_442_000, method: "_x.ai/session/update", params: { update: more } })}\n`;
      const chunk = update({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: 'x "usage"'.repeat(9000) },
      });
      const usage = { inputTokens: 1000, cachedReadTokens: 600, outputTokens: 50, costUsdTicks: 5_000_000_000 };
      const turn = (id: string): string =>
        update({
          sessionUpdate: "turn_completed",
          prompt_id: id,
          usage: { ...usage, modelUsage: { "grok-4.5": usage } },
        });
      const many = chunk.repeat(Math.ceil(LIMITS.sidecarBytes / chunk.length));
      const folder = `.grok/sessions/%2Freef/${ID}`;
      const path = put(
        dir,
        `${folder}/chat_history.jsonl`,
        `${JSON.stringify({ type: "user", content: "Count" })}\n${JSON.stringify({ type: "assistant", content: "Two.", model_id: "grok-4.5" })}\n`,
      );
      put(dir, `${folder}/updates.jsonl`, many + turn("p1") + many + turn("p2"));
      await importPaths(archive, [path], { final: true });
      expect((await showSession(archive, `grok:${ID}`)).cost.reported).toMatchObject({
        usd: 1,
        usage: { inputUncached: 800, cacheRead: 1200, output: 100 },
      });
    }),
  ));
