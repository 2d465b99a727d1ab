"use client";
// Which model calls carried an artifact, in what form, and until when.
import Link from "next/link";
import type { ArtifactLineage } from "#lib/wire/artifact-history-schema.ts";
import { lifetimeHref } from "../shared/load-cursor.ts";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { AsideSection, Pair, Pairs } from "./aside-section.tsx";

type LineageProps = { lineage: ArtifactLineage | null; sessionId: string };

export function Lineage({ lineage, sessionId }: LineageProps) {
  if (lineage === null)
    return (
      <AsideSection title="In the context">
        It was stored on purpose: no event of its session returned it, and no model call carried it.
      </AsideSection>
    );
  const at = (seq: number) => `/sessions/${sessionId}?event=${seq}`;
  return (
    <AsideSection title="In the context">
      <p className="text-13 text-ink-2">
        <Verdict lineage={lineage} />
      </p>
      <div className="mt-2">
        <Pairs>
          <Pair name="Entered">
            <Link className="link underline" href={at(lineage.callSeq ?? lineage.seq)}>
              event {lineage.callSeq ?? lineage.seq}
            </Link>
            {lineage.enteredAt !== null && `, first sent with call ${lineage.enteredAt}`}
          </Pair>
          <Pair name="Carried by">
            {lineage.callsResident > 0 ? (
              <Link className="link underline" href={lifetimeHref(sessionId, lineage.callSeq ?? lineage.seq)}>
                {formatCount(lineage.callsResident, "model call")}, {span(lineage)}
              </Link>
            ) : lineage.calls === 0 ? (
              "no model calls are recorded of this session"
            ) : (
              "none of its model calls"
            )}
          </Pair>
          {lineage.callsResident > 0 && (
            <Pair name="Until">
              {lineage.endedBy === null ? (
                lineage.leftSilently ? (
                  `call ${lineage.lastCall}: the prompt fell there, and the log does not say why`
                ) : (
                  "the end of the session"
                )
              ) : (
                <>
                  the {lineage.endedBy.how === "rewound" ? "rewind" : "compaction"} at{" "}
                  <Link className="link underline" href={at(lineage.endedBy.seq)}>
                    event {lineage.endedBy.seq}
                  </Link>
                  {lineage.endedBy.tokensBefore !== null &&
                    lineage.endedBy.tokensAfter !== null &&
                    ` (${formatTokens(lineage.endedBy.tokensBefore, true)} → ${formatTokens(lineage.endedBy.tokensAfter, true)})`}
                </>
              )}
            </Pair>
          )}
        </Pairs>
      </div>
      {lineage.text !== null && <Seen lineage={lineage} />}
    </AsideSection>
  );
}

const span = ({ enteredAt, lastCall }: ArtifactLineage): string =>
  enteredAt === lastCall ? `call ${enteredAt}` : `calls ${enteredAt} to ${lastCall}`;

/** One sentence with the number in it. */
function Verdict({ lineage }: { lineage: ArtifactLineage }) {
  const { saw, seen, whole, callsResident } = lineage;
  if (saw === "full")
    return (
      <>
        The model had all of it: <B value={seen.tokens} origin={seen.origin} />{" "}
        {callsResident > 1 ? (
          <>
            tokens in each of {callsResident} calls, <B value={seen.tokens * callsResident} origin={seen.origin} /> in
            all.
          </>
        ) : (
          "tokens."
        )}
      </>
    );
  const saved = Math.max(0, whole.tokens - seen.tokens);
  return (
    <>
      The model saw {saw === "envelope" ? "an envelope" : "a part"} of <B value={seen.tokens} origin={seen.origin} />{" "}
      tokens in place of <B value={whole.tokens} origin={whole.origin} />: <B value={saved} origin="estimated" /> saved
      {callsResident > 1 ? ` in each of ${callsResident} calls.` : "."}
    </>
  );
}

function B(props: { value: number; origin: "reported" | "counted" | "estimated" }) {
  return (
    <b className="font-semibold text-ink tabular-nums">
      <Num {...props} />
    </b>
  );
}

function Seen({ lineage }: { lineage: ArtifactLineage }) {
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-ink-3 hover:text-ink">
        {lineage.saw === "envelope" ? "The envelope" : "What the model saw"}, {formatBytes(lineage.seen.bytes)}
      </summary>
      <pre className="mono mt-1 max-h-60 overflow-auto border-l-2 border-line pl-2 break-all whitespace-pre-wrap text-ink-2">
        <SafeText text={lineage.text ?? ""} badge />
      </pre>
    </details>
  );
}
