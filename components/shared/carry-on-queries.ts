"use client";
// Sessions that were carried on in a new file. The list's key begins with "sessions": it is old when any session changes, as the first
// call of a continuation does not change the session that it continues.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import type {
  CarryOnAnswer,
  CarryOnList,
  CarryOnPlan,
  CarryOnRequest,
  CarryOnRow,
  TakeBackAnswer,
} from "#lib/wire/carry-on-schema.ts";
import { api, send } from "../ui/api.ts";

// Our own server answers in the schema's type, and the schemas of a summary are too heavy for the list of sessions.
const listShape = shape<CarryOnList>("rows");
const planShape = shape<CarryOnPlan>("status", "lines", "tokens", "warnings", "command");
const answerShape = shape<CarryOnAnswer>("plan", "written");
const takenBackShape = shape<TakeBackAnswer>("status", "row");

function shape<Answer>(...names: (keyof Answer & string)[]) {
  return z.custom<Answer>(
    (value) => typeof value === "object" && value !== null && names.every((name) => name in value),
  );
}

/** What a person may choose of a request; the server has the rest. */
export type CarryOnChoice = Partial<CarryOnRequest>;

const path = (session: string): string => `/api/sessions/${encodeURIComponent(session)}/carry-on`;

/** Of one session, as the old or as the new one. */
export const carryOnsQuery = (session: string, enabled = true) =>
  queryOptions({
    queryKey: ["sessions", "carry-ons", session],
    queryFn: ({ signal }) => api(`${path(session)}s`, listShape, { signal }),
    enabled,
  });

/** A plan of 30,000 lines weighs some megabytes. */
const FORGET_MS = 20_000;

/** The file as it would be. Nothing is written. */
export const carryOnPlanQuery = (session: string, request: CarryOnChoice, enabled: boolean) =>
  queryOptions({
    queryKey: ["session", session, "carry-on", request],
    queryFn: ({ signal }) => send("POST", `${path(session)}/plan`, planShape, request, signal),
    enabled,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: FORGET_MS,
    retry: false,
  });

export const writeCarryOn = (session: string, request: CarryOnChoice) =>
  send("POST", path(session), answerShape, request);

export const takeBackCarryOn = (id: string) =>
  send("POST", `/api/carry-ons/${encodeURIComponent(id)}/take-back`, takenBackShape, {});

/** Of those that were not taken back, the newest first: what the session continues, and what continues it. */
export function continuationsOf(
  rows: readonly CarryOnRow[],
  session: string,
): { readonly continues: CarryOnRow | null; readonly continuedIn: readonly CarryOnRow[] } {
  const there = rows.filter(({ takenBackAt }) => takenBackAt === null);
  return {
    continues: there.find((row) => row.session.id === session) ?? null,
    continuedIn: there.filter((row) => row.origin.id === session && row.session.isImported),
  };
}
