// What a report of a session is made of: its summary, ledger, load and the beginnings of some events. Every text of it that the
// session's words can reach goes through `mapTexts`: so a review sees all of them, and a mask reaches all of them.
import { eventText } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { privateSpans } from "#lib/kernel/private-spans.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { LoadAnswer } from "#lib/wire/load-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { sessionLedger } from "../load/session-ledger.ts";
import { sessionLoad } from "../load/session-load.ts";
import { getEvent, listEvents } from "../sessions/list-events.ts";
import { showSession } from "../sessions/show-session.ts";

/** The beginning of an event. `bytes`: of its whole text. */
export type Excerpt = {
  readonly seq: number;
  readonly type: string;
  readonly tool: string | null;
  readonly text: string;
  readonly bytes: number;
  readonly cut: boolean;
};

export type ReportParts = {
  readonly session: SessionSummary;
  readonly ledger: LedgerAnswer;
  readonly load: LoadAnswer;
  readonly excerpts: readonly Excerpt[];
};

type Options = { readonly events?: readonly number[] | undefined; readonly counted?: boolean };

/** Culprits whose first lines are in a report that names no events. */
const CULPRITS_SHOWN = 5;

/** `counted`: texts that are not counted yet are, before the figures are given. */
export async function reportParts(
  archive: Archive,
  name: string,
  { events, counted = false }: Options,
): Promise<ReportParts> {
  const session = await showSession(archive, name);
  const whole = await sessionLedger(archive, session.id, { counted });
  const culprits = whole.culprits.slice(0, LIMITS.reportCulprits);
  const culpritsLeftOut = whole.culpritsLeftOut + whole.culprits.length - culprits.length;
  const ledger = { ...whole, culprits, culpritsLeftOut };
  const seqs = events ?? ledger.culprits.flatMap(({ seq }) => seq ?? []).slice(0, CULPRITS_SHOWN);
  const excerpts: Excerpt[] = [];
  for (const seq of new Set(seqs)) excerpts.push(await excerptOf(archive, session.id, seq));
  return { session, ledger, load: await sessionLoad(archive, session.id), excerpts };
}

/** Colours and cleared line ends of a terminal: they part words that a search for secrets must see whole. */
// oxlint-disable-next-line no-control-regex
const STYLES = /(?:\u001b\[|\u009b)[0-9;:]*[mK]/g;

async function excerptOf(archive: Archive, id: string, seq: number): Promise<Excerpt> {
  const [listed] = (await listEvents(archive, id, { from: seq, to: seq, limit: 1 })).events;
  // Fails with the sentence of an event that is not there.
  const { type, toolName, body, bytes, textCut } = listed ?? (await getEvent(archive, id, seq));
  const whole = eventText(body).replace(STYLES, "");
  const text = beginningOf(whole);
  return { seq, type, tool: toolName, text, bytes, cut: textCut || text.length < whole.length };
}

/** So many lines and characters, and no part of a secret: half of one is not recognised any more. */
export function beginningOf(text: string): string {
  let end = Math.min(text.length, LIMITS.reportEventChars);
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1))
    if (++lines === LIMITS.reportEventLines) end = at;
  if (end === text.length) return text;
  for (const span of privateSpans(text.slice(0, end + REACH))) if (span.start < end && span.end > end) end = span.start;
  return text.slice(0, end).toWellFormed();
}

/** A secret that stands across the cut is found by what follows it (characters). */
const REACH = 8192;

/** The parts with each of their texts changed. `where`: the part of the report that shows it. */
export function mapTexts(parts: ReportParts, change: (text: string, where: string) => string): ReportParts {
  const { session, ledger } = parts;
  const orNull = (text: string | null, where: string) => (text === null ? null : change(text, where));
  return {
    ...parts,
    session: {
      ...session,
      agent: change(session.agent, "Agent"),
      agentVersion: orNull(session.agentVersion, "Agent"),
      model: orNull(session.model, "Agent"),
    },
    ledger: {
      ...ledger,
      title: change(ledger.title, "Title"),
      verdictClauses: ledger.verdictClauses.map((one) => ({ ...one, text: change(one.text, "Verdict") })),
      culprits: ledger.culprits.map((one, i) => ({
        ...one,
        label: change(one.label, `Culprit ${i + 1}`),
        fix: change(one.fix, `Culprit ${i + 1}`),
      })),
      // Shown where there are no culprits.
      items:
        ledger.culprits.length > 0
          ? []
          : ledger.items.map((one) => ({ ...one, label: change(one.label, "Heaviest items") })),
    },
    excerpts: parts.excerpts.map((one) => ({
      ...one,
      tool: orNull(one.tool, `Event ${one.seq}`),
      text: change(one.text, `Event ${one.seq}`),
    })),
  };
}
