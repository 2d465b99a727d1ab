// Who may come into a fleet: tokens with a project, and what each may do there.
import { z } from "zod";
import { fleetProject } from "./fleet-schema.ts";

/** `send` hands sessions in and sees nothing. The others are those of one machine's tokens. */
export const FLEET_SCOPES = ["send", "read", "write", "admin"] as const;
export const fleetScope = z.enum(FLEET_SCOPES);
export type FleetScope = z.infer<typeof fleetScope>;

export const fleetTokenRequest = z.strictObject({
  name: z.string().min(1).max(200).default("sender"),
  scope: fleetScope.default("send"),
  /** Null: every project. Only an admin of the fleet makes such a token. */
  project: fleetProject.nullable(),
  /** Days until it ends; null for one that lasts until it is revoked. */
  days: z.number().int().min(1).max(3650).nullable().default(90),
  /** Whose it is, by their address: usage by person counts what it hands in and writes as theirs, and it does no more than they may. */
  person: z.string().trim().toLowerCase().min(3).max(320).nullable().default(null),
});
export type FleetTokenRequest = z.input<typeof fleetTokenRequest>;

export const fleetTokenRow = z.object({
  id: z.string(),
  name: z.string(),
  scope: fleetScope,
  project: z.string().nullable(),
  person: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  /** To the minute; null when it was never used. */
  usedAt: z.string().nullable(),
  state: z.enum(["live", "expired", "revoked"]),
});
export type FleetTokenRow = z.infer<typeof fleetTokenRow>;

export const fleetTokensAnswer = z.object({ tokens: z.array(fleetTokenRow) });

/** The only answer that holds the token. */
export const createdFleetToken = fleetTokenRow.extend({ token: z.string() });
export type CreatedFleetToken = z.infer<typeof createdFleetToken>;

export const PERSON_ROLES = ["reader", "writer", "admin"] as const;
export const personRole = z.enum(PERSON_ROLES);
export type PersonRole = z.infer<typeof personRole>;

export const fleetPerson = z.object({
  email: z.string(),
  name: z.string(),
  /** Of the whole fleet; null for an admin of some projects, who is not told. */
  isAdmin: z.boolean().nullable(),
  /** When they signed in last; null for never. */
  seenAt: z.string().nullable(),
  /** By project: those that whoever asks manages. */
  roles: z.record(z.string(), personRole),
});
export type FleetPerson = z.infer<typeof fleetPerson>;

export const fleetPeopleAnswer = z.object({ people: z.array(fleetPerson) });

export const EMAIL_CHARS = 320;

export const personRoleRequest = z.strictObject({
  email: z.string().min(3).max(EMAIL_CHARS),
  /** Null: the whole fleet, of which somebody is admin or nothing. */
  project: fleetProject.nullable(),
  /** Null: it is taken from them. */
  role: personRole.nullable(),
});
export type PersonRoleRequest = z.infer<typeof personRoleRequest>;

export const personRoleAnswer = personRoleRequest.extend({
  /** False where it was so before. */
  isChanged: z.boolean(),
  /** Live ones in their name, which ended with the role. */
  revokedTokens: z.number().int(),
});
export type PersonRoleAnswer = z.infer<typeof personRoleAnswer>;

export const removedPerson = z.object({
  email: z.string(),
  /** Live ones in their name, which ended with them. */
  revokedTokens: z.number().int(),
});
export type RemovedPerson = z.infer<typeof removedPerson>;

/** A link signs in within so many minutes, unless another number is given. */
export const LINK_MINUTES = 15;

export const signInLinkRequest = z.strictObject({
  email: z.string().min(3).max(EMAIL_CHARS),
  minutes: z.number().int().min(1).max(1440).default(LINK_MINUTES),
});

/** The only answer that holds the link's secret. */
export const signInLink = z.object({
  email: z.string(),
  /** At any node, under its address for browsers. Opened once. */
  path: z.string(),
  minutes: z.number(),
});
export type SignInLink = z.infer<typeof signInLink>;

/** What nodes of this version write. An older one may refuse other words, so that all that is deleted is `delete`: the detail says what. */
export const AUDIT_ACTIONS = [
  "read",
  "delete",
  "restore",
  "retention",
  "person",
  "token",
  "models",
  "settings",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const auditQuery = z.object({
  project: z.string().max(63).optional(),
  /** A part of who it was: an address, or the id of a token. */
  who: z.string().trim().max(EMAIL_CHARS).optional(),
  action: z.string().max(40).optional(),
  /** Only the last so many days. */
  days: z.coerce.number().int().min(1).max(36_500).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  /** Only what came before this moment: the next page. */
  before: z.iso.datetime().optional(),
});

export const auditRow = z.object({
  at: z.string(),
  who: z.string(),
  /** One of AuditAction, or a word of a newer version. */
  action: z.string(),
  /** `*` where it was of more than one. */
  project: z.string(),
  session: z.string().nullable(),
  address: z.string(),
  detail: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

export const auditAnswer = z.object({ rows: z.array(auditRow) });
