// Carrying a session on: the dry run, the file that a person asks for, and taking it back. Only an unbound token that may do
// everything writes into an agent's folder.
import { carryOn, takeBack } from "#lib/archive/handover/carry-on.ts";
import { listCarryOns } from "#lib/archive/handover/handover-rows.ts";
import { planCarryOn } from "#lib/archive/handover/plan-handover.ts";
import {
  carryOnAnswer,
  carryOnList,
  carryOnPlan,
  carryOnPlanRequest,
  carryOnRequest,
  takeBackAnswer,
} from "#lib/wire/carry-on-schema.ts";
import { get, post } from "../endpoint.ts";
import { carryOnParams, inSession, sessionParams } from "../params.ts";

export const carryOnEndpoints = [
  /** Every line of the new file, with its tokens. Nothing is written. */
  post("/api/sessions/:id/carry-on/plan", {
    scope: "write",
    ...inSession,
    body: carryOnPlanRequest,
    answer: carryOnPlan,
    run: ({ archive, params, body, signal }) => planCarryOn(archive, params.id, body, { signal }),
  }),
  post("/api/sessions/:id/carry-on", {
    params: sessionParams,
    body: carryOnRequest,
    answer: carryOnAnswer,
    run: ({ archive, params, body, signal }) => carryOn(archive, params.id, body, { signal }),
  }),
  /** What was written of this session, or as it. */
  get("/api/sessions/:id/carry-ons", {
    ...inSession,
    answer: carryOnList,
    run: ({ archive, params }) => listCarryOns(archive, params.id),
  }),
  get("/api/carry-ons", { answer: carryOnList, run: ({ archive }) => listCarryOns(archive) }),
  post("/api/carry-ons/:id/take-back", {
    params: carryOnParams,
    answer: takeBackAnswer,
    run: ({ archive, params }) => takeBack(archive, params.id),
  }),
];
