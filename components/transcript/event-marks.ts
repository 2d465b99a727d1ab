"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Mark } from "#lib/wire/marks-schema.ts";
import { marksQuery } from "../shared/person-marks.ts";

const NO_MARKS: ReadonlyMap<number, readonly Mark[]> = new Map();

/** Marks by the event that they are of. */
export function useEventMarks(id: string): ReadonlyMap<number, readonly Mark[]> {
  const { data } = useQuery(marksQuery(id));
  return useMemo(() => {
    const own = data?.marks.flatMap((mark) => (mark.seq === null ? [] : [{ ...mark, seq: mark.seq }])) ?? [];
    return own.length === 0 ? NO_MARKS : Map.groupBy(own, ({ seq }) => seq);
  }, [data]);
}
