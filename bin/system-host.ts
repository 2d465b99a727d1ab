// What the archive is given: the clock, tokenizers, prices and clients of models. Vocabularies take 50–130 MB and up to
// 0.25 s to load, so they are loaded when something is first counted; no client is made before a person set a model up.
import type { Host, Tokenizer, Tokenizers } from "#lib/kernel/host.ts";
import { compactionSettings } from "#lib/kernel/memory/settings.ts";
import { uptime } from "node:os";
import { readGit } from "#lib/sources/read-repository.ts";
import { modelSummarizers } from "#lib/models/index.ts";
import { postWebhook } from "#lib/webhooks/post-webhook.ts";
import { priceTable } from "./prices.ts";

/** Unbroken runs longer than this are cut before counting: every byte-pair encoder is quadratic on them (100 KB of "ab": 2–8 s). */
const RUN_CHARS = 1000;
/** Looked for at the beginning of a run only: from each of its characters it took a sixth of the time of counting. */
const LONG_RUN = /(?<!\S)\S{1000}/;

const tokenizers: Tokenizers = {
  idFor: (model, format) => {
    if (model !== null && /claude/i.test(model)) return "claude";
    if (model !== null && /gpt|codex|^o\d/i.test(model)) return "o200k_base";
    if (model !== null) return null;
    return format === "claude-code" ? "claude" : format === "codex" ? "o200k_base" : null;
  },
  load: async (id): Promise<Tokenizer> => {
    const { Tokenizer } = await import("ai-tokenizer");
    const encoding =
      id === "claude" ? await import("ai-tokenizer/encoding/claude") : await import("ai-tokenizer/encoding/o200k_base");
    const tokenizer = new Tokenizer(encoding);
    // "all": text such as <|endoftext|> in a transcript is text, and must not throw.
    const count = (text: string): number => tokenizer.encode(text, "all").length;
    return {
      id,
      count: (text) => (LONG_RUN.test(text) ? pieces(text).reduce((sum, piece) => sum + count(piece), 0) : count(text)),
    };
  },
};

function pieces(text: string): string[] {
  return text
    .split(/(\S{1000})/)
    .flatMap((piece) =>
      (piece === "" ? [] : [piece.slice(0, RUN_CHARS)]).concat(
        piece.length > RUN_CHARS ? [piece.slice(RUN_CHARS)] : [],
      ),
    );
}

/** Tests give a node a clock that is wrong. */
const CLOCK_OFFSET_MS = Number(process.env["PLIMSOLL_CLOCK_OFFSET_MS"] ?? 0);

export const systemHost = (): Host => ({
  now: () => Date.now() + CLOCK_OFFSET_MS,
  uptime: () => uptime() * 1000,
  home: process.env["HOME"] || process.env["USERPROFILE"],
  tokenizers,
  prices: priceTable(),
  summarizers: modelSummarizers,
  postWebhook,
  readGit,
  compaction: compactionSettings(process.env),
});
