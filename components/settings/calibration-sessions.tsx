"use client";
import Link from "next/link";
import type { CalibrationAnswer } from "#lib/wire/calibration.ts";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { HEAD, ROW, Share, TABLE } from "./calibration-tables.tsx";
import { FAMILY_WORDS } from "./calibration-words.ts";

const SHOWN = 30;

/** The sessions with the most to measure. */
export function SessionErrors({ answer }: { answer: CalibrationAnswer }) {
  const sessions = answer.sessions.toSorted((a, b) => b.transitions - a.transitions).slice(0, SHOWN);
  return (
    <>
      <div className="overflow-x-auto">
        <table className={`${TABLE} min-w-200`} aria-label="Error by session">
          <thead>
            <tr className={HEAD}>
              <th scope="col" className="pl-0! text-left!">
                Session
              </th>
              <th scope="col" className="w-44 text-left!">
                Family
              </th>
              <th scope="col" className="w-28">
                Transitions
              </th>
              <th scope="col" className="w-28">
                Characters ÷ 4
              </th>
              <th scope="col" className="w-24">
                In use
              </th>
              <th scope="col" className="w-32">
                Fitted to others
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      {answer.sessions.length > SHOWN && (
        <p className="mt-1 text-12 text-ink-3">
          The {SHOWN} with the most transitions of {formatCount(answer.sessions.length, "session")}; all of them:{" "}
          <code className="mono">plimsoll calibrate --dry-run --json</code>.
        </p>
      )}
    </>
  );
}
