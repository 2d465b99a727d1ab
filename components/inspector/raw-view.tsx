"use client";
// The records that the row was read from, and jq or grep over them.
import { useQueries } from "@tanstack/react-query";
import type { EventView } from "#lib/wire/events-schema.ts";
import { prettyJson, RawRecord } from "../events/raw-record.tsx";
import { recordQuery } from "../shared/event-queries.ts";
import { useInspector } from "../shared/inspector-state.ts";
import { useSession } from "../shared/session-context.tsx";
import { AskBar } from "./ask-bar.tsx";
import type { RowEvents } from "./inspected-row.ts";
import { Scroller } from "./scroller.tsx";
import { TextAsk } from "./text-ask.tsx";

/** A pasted text of jq may have 5 MB; of the real records 0.01 % are longer than this. */
const ASKED_BYTES = 2 * 1024 * 1024;

const sizeOf = ({ raw }: EventView): number => raw.byteEnd - raw.byteStart;

export function RawView({ events: { event, result } }: { events: RowEvents }) {
  const { id } = useSession();
  const { ask } = useInspector();
  // A call and its result may be one record.
  const records = result === null || result.raw.byteStart === event.raw.byteStart ? [event] : [event, result];
  const size = records.reduce((sum, one) => sum + sizeOf(one), 0);
  const canAsk = size <= ASKED_BYTES;
  const texts = useQueries({
    queries: records.map((one) => ({
      ...recordQuery(id, one.seq, { size: sizeOf(one), most: ASKED_BYTES }),
      enabled: ask !== null && canAsk,
    })),
    combine: (answers) => answers.flatMap(({ data }) => (data === undefined ? [] : [data])),
  });
  return (
    <>
      <AskBar fits={canAsk ? ["jq", "grep"] : []} why="Over 2 MB: download it">
        {records.length === 1 ? "The record of the file" : "The records of the call and its result"}
      </AskBar>
      {ask !== null && canAsk ? (
        texts.length === records.length && (
          <TextAsk ask={ask} text={texts.map(prettyJson).join("\n")} json={texts.join("\n")} />
        )
      ) : (
        <Scroller label="Raw record">
          <RawRecord event={event} result={result} />
        </Scroller>
      )}
    </>
  );
}
