"use client";
import Link from "next/link";
import type { CalibrationAnswer } from "#lib/wire/calibration-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Share } from "./calibration-tables.tsx";
import { FAMILY_WORDS } from "./calibration-words.ts";
import { PlainTable, ROW, type Column } from "../ui/plain-table.tsx";

const SHOWN = 30;

const COLUMNS: readonly Column[] = [
  { name: "Session" },
  { name: "Family", look: "w-44", isText: true },
  { name: "Transitions", look: "w-28" },
  { name: "Characters ÷ 4", look: "w-28" },
  { name: "In use", look: "w-24" },
  { name: "Fitted to others", look: "w-32" },
];

/** The sessions with the most to measure. */
export function SessionErrors({ answer }: { answer: CalibrationAnswer }) {
  const sessions = answer.sessions.toSorted((a, b) => b.transitions - a.transitions).slice(0, SHOWN);
  return (
    <>
      <PlainTable label="Error by session" width="min-w-200" columns={COLUMNS}>
        {sessions.map((session) => (
          <tr key={`${session.id} ${session.family}`} className={ROW}>
            <td className="pl-0!">
              <Link className="link" href={`/sessions/${session.id}?tab=load`}>
                <SafeText text={session.title === "" ? session.id : session.title} />
              </Link>
            </td>
            <td className="text-ink-2">{FAMILY_WORDS[session.family]}</td>
            <td className="num">{formatTokens(session.transitions)}</td>
            <td className="num text-ink-2">
              <Share wape={session.charsOver4} />
            </td>
            <td className="num">
              <Share wape={session.current} />
            </td>
            <td className="num">
              <Share wape={session.fitted} />
            </td>
          </tr>
        ))}
      </PlainTable>
      {answer.sessions.length > SHOWN && (
        <p className="mt-1 text-12 text-ink-3">
          The {SHOWN} with the most transitions of {formatCount(answer.sessions.length, "session")}; all of them:{" "}
          <code className="mono">plimsoll calibrate --dry-run --json</code>.
        </p>
      )}
    </>
  );
}
