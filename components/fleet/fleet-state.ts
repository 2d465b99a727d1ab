// What the reader chose on the page of a fleet, as it stands in the URL.
import { debounce, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";
import { AUDIT_ACTIONS } from "#lib/wire/fleet-people-schema.ts";

const TYPING_MS = 150;

export const FLEET_TABS = ["people", "tokens", "audit", "retention"] as const;
export type FleetTab = (typeof FLEET_TABS)[number];

export const fleetTabParsers = { tab: parseAsStringLiteral(FLEET_TABS).withDefault("people") };

export const AUDIT_DAYS = ["1", "7", "30", "90", "365"] as const;

export const auditParsers = {
  who: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  project: parseAsString,
  action: parseAsStringLiteral(AUDIT_ACTIONS),
  days: parseAsStringLiteral(AUDIT_DAYS),
};
export type AuditChoices = inferParserType<typeof auditParsers>;

export const NO_AUDIT_FILTER = { who: null, project: null, action: null, days: null };

/** The query of the audit log. */
export const auditQuestion = ({ who, project, action, days }: AuditChoices) => ({
  ...{ who: who.trim(), project, action, days },
});

export const isNarrowed = (choices: AuditChoices): boolean =>
  Object.values(auditQuestion(choices)).some((one) => one !== null && one !== "");
