"use client";
// What the inspector asks of one event.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { eventLifetime, eventSeen } from "#lib/wire/event-lifetime-schema.ts";
import { api, reach, withQuery } from "../ui/api.ts";

/** Rows that are stepped over are forgotten soon: a record or a message may have 256 KB. */
const FORGET_MS = 20_000;

const eventPath = (id: string, seq: number): string => `/api/sessions/${encodeURIComponent(id)}/events/${seq}`;

/** A tool's output as bytes. */
export const outputPath = (id: string, seq: number): string => `${eventPath(id, seq)}/output`;

export const lifetimeQuery = (id: string, seq: number) =>
  queryOptions({
    queryKey: ["session", id, "lifetime", seq],
    queryFn: ({ signal }) => api(`${eventPath(id, seq)}/lifetime`, eventLifetime, { signal }),
    gcTime: FORGET_MS,
    structuralSharing: false,
  });

/** As one call was sent it; without a call the first that was. */
export const seenQueryOf = (id: string, seq: number, call: number | null) =>
  queryOptions({
    queryKey: ["session", id, "seen", seq, call],
    queryFn: ({ signal }) =>
      api(withQuery(`${eventPath(id, seq)}/seen`, { call: call ?? undefined }), eventSeen, { signal }),
    gcTime: FORGET_MS,
    placeholderData: keepPreviousData,
  });

/** The beginning of a record, as its file has it. */
export const recordQuery = (id: string, seq: number, { size, most }: { size: number; most: number }) =>
  queryOptions({
    queryKey: ["session", id, "raw", seq, most],
    queryFn: async ({ signal }) => {
      const headers = size > most ? { range: `bytes=0-${most - 1}` } : undefined;
      return (await reach(`${eventPath(id, seq)}/raw`, { signal, headers })).text();
    },
    gcTime: FORGET_MS,
    retry: false,
  });
