// What a person sets: policy, models, prices, retention, the summarizer, access tokens; and the long looks that help to choose.
import { z } from "zod";
import { previewRetention, readRetention, saveRetention } from "#lib/archive/artifacts/retention.ts";
import { readStats } from "#lib/archive/artifacts/stats.ts";
import { askSweep } from "#lib/archive/artifacts/sweep.ts";
import { readCalibration, runCalibration } from "#lib/archive/load/calibration-run.ts";
import { readPresetSavings, runPresetSavings } from "#lib/archive/load/preset-savings-run.ts";
import { triedPresets } from "#lib/archive/load/tried-presets.ts";
import { createToken, listTokens, revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { readModels, saveModels } from "#lib/archive/settings/model-settings.ts";
import { readPolicy, savePolicy } from "#lib/archive/settings/offload-policy.ts";
import { readWarnAt, saveWarnAt } from "#lib/archive/settings/warn-setting.ts";
import { readSummarizer, saveSummarizer, trySummarizer } from "#lib/archive/settings/summarizer-setting.ts";
import { fail } from "#lib/kernel/errors.ts";
import { calibrationRun, calibrationRunRequest } from "#lib/wire/calibration-run-schema.ts";
import { presetSavingsRequest, presetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import { archiveStats, gcAnswer, gcRequest, retentionPreview, retentionSettings } from "#lib/wire/retention-schema.ts";
import { modelsAnswer, modelsRequest, policyAnswer, policyRequest, presetsAnswer } from "#lib/wire/settings-schema.ts";
import { warnSetting } from "#lib/wire/status-schema.ts";
import { summarizerAnswer, summarizerRequest, triedSummarizer } from "#lib/wire/summarizer-schema.ts";
import { createdToken, createTokenRequest, tokenRow, tokensAnswer } from "#lib/wire/tokens-schema.ts";
import { del, get, post, put } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { tokenParams } from "../params.ts";

const load = [
  get("/api/settings/policy", {
    answer: policyAnswer,
    run: ({ app, archive }) => app.fleet?.defaults.policy() ?? readPolicy(archive),
  }),
  put("/api/settings/policy", {
    body: policyRequest,
    answer: policyAnswer,
    run: ({ app, archive, body, principal, request }) =>
      app.fleet?.defaults.savePolicy(body, askedBy({ principal, request })) ??
      savePolicy(archive, body.policy, body.seen),
  }),
  get("/api/settings/presets", { answer: presetsAnswer, run: ({ archive }) => triedPresets(archive) }),
  get("/api/settings/presets/savings", {
    answer: presetSavingsRun,
    run: ({ archive }) => readPresetSavings(archive),
  }),
  /** 202: it goes on after the answer. */
  post("/api/settings/presets/savings", {
    body: presetSavingsRequest,
    answer: presetSavingsRun,
    status: 202,
    run: ({ archive, body }) => runPresetSavings(archive, body),
  }),
  get("/api/settings/models", {
    answer: modelsAnswer,
    run: ({ app, archive }) => app.fleet?.models.read() ?? readModels(archive),
  }),
  /** Open pages hear of it when the figures have followed. */
  put("/api/settings/models", {
    body: modelsRequest,
    answer: modelsAnswer,
    run: ({ app, archive, body, principal, request }) => {
      const onSettled = (): void => app.changes.publish({ type: "sessions" });
      return (
        app.fleet?.models.save(body.overrides, askedBy({ principal, request }), { seen: body.seen, onSettled }) ??
        saveModels(archive, body.overrides, { seen: body.seen, onSettled })
      );
    },
  }),
  get("/api/settings/calibration", { answer: calibrationRun, run: ({ archive }) => readCalibration(archive) }),
  /** 202: it goes on after the answer. */
  post("/api/settings/calibration", {
    body: calibrationRunRequest,
    answer: calibrationRun,
    status: 202,
    run: ({ archive, body }) => runCalibration(archive, body),
  }),
];

const warning = [
  get("/api/settings/warning", {
    answer: warnSetting,
    run: ({ app, archive }) => app.fleet?.defaults.warning() ?? { warnAt: readWarnAt(archive) },
  }),
  put("/api/settings/warning", {
    body: warnSetting,
    answer: warnSetting,
    run: ({ app, archive, body, principal, request }) =>
      app.fleet?.defaults.saveWarning(body, askedBy({ principal, request })) ?? saveWarnAt(archive, body),
  }),
];

const retention = [
  get("/api/retention", { answer: retentionSettings, run: ({ archive }) => readRetention(archive) }),
  put("/api/retention", {
    body: retentionSettings,
    answer: retentionSettings,
    run: ({ app, archive, body }) => {
      // What agents stored here is the fleet's: a limit of one node would delete it everywhere.
      if (app.fleet !== null && (body.maxAgeDays !== null || body.maxBytes !== null))
        fail("unsupported", "A node has no limits of age and bytes. Limit projects: plimsoll fleet retention.");
      return saveRetention(archive, body);
    },
  }),
  get("/api/retention/stats", { answer: archiveStats, run: ({ archive }) => readStats(archive) }),
  post("/api/retention/preview", {
    scope: "read",
    body: retentionSettings,
    answer: retentionPreview,
    run: ({ archive, body }) => previewRetention(archive, body),
  }),
  post("/api/retention/sweep", {
    body: gcRequest,
    answer: gcAnswer,
    run: ({ archive, body }) => askSweep(archive, body),
  }),
];

// Where transcripts may be sent, and who may come in, is a person's to say, not an agent's.
const people = [
  get("/api/settings/summarizer", {
    auth: "browser",
    answer: summarizerAnswer,
    run: ({ archive }) => readSummarizer(archive),
  }),
  put("/api/settings/summarizer", {
    auth: "browser",
    body: summarizerRequest,
    answer: summarizerAnswer,
    run: ({ archive, body }) => saveSummarizer(archive, body),
  }),
  post("/api/settings/summarizer/try", {
    auth: "browser",
    answer: triedSummarizer,
    run: ({ archive }) => trySummarizer(archive),
  }),
  get("/api/tokens", {
    auth: "browser",
    answer: tokensAnswer,
    run: async ({ archive }) => ({ tokens: await listTokens(archive) }),
  }),
  /** The answer holds the token: it is shown this once. */
  post("/api/tokens", {
    auth: "browser",
    body: createTokenRequest,
    answer: createdToken,
    status: 201,
    isSecret: true,
    run: ({ archive, body }) => createToken(archive, body),
  }),
  del("/api/tokens/:id", {
    auth: "browser",
    params: tokenParams,
    body: z.strictObject({}),
    answer: tokenRow,
    run: ({ archive, params }) => revokeToken(archive, params.id),
  }),
];

export const settingsEndpoints = [...load, ...warning, ...retention, ...people];
