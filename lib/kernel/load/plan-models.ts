// Models that their providers sell in plans alone: pages of prices have none for their tokens, so no dollars are made up for them.
import { standardModel } from "./model-variants.ts";

/** Codex's reviews and Spark (OpenAI), Kimi Code's membership (Moonshot), Qwen Code's sign-in (Alibaba). */
const IN_PLANS = /^(?:codex-auto-review|gpt-5\.3-codex-spark|kimi-for-coding|coder-model)$/;

export const isOfPlan = (model: string): boolean =>
  IN_PLANS.test((standardModel(model) ?? model).replace(/^[\w.-]{1,40}\//, ""));

export const OF_PLANS = "Sold in plans alone, without a price a token";
