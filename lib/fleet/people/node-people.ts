// Who may come in at a node: what the database says of tokens and people, and the acts of those who manage them.
import { fail } from "#lib/kernel/errors.ts";
import type {
  AuditRow,
  CreatedFleetToken,
  FleetPerson,
  FleetTokenRequest,
  FleetTokenRow,
  PersonRoleAnswer,
  PersonRoleRequest,
  RemovedPerson,
  SignInLink,
} from "#lib/wire/fleet-people-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { listAudit, openAudit, type Audit, type AuditRequest, type DeletedBy } from "./audit.ts";
import { emailOf } from "./email-of.ts";
import { createFleetToken, findFleetToken, listFleetTokens, revokeFleetToken } from "./fleet-tokens.ts";
import type { IdentityProvider, Vouched } from "./identity-provider.ts";
import { knownCredentials, type KnownCredentials } from "./known-credentials.ts";
import { listPeople, removePerson, setFleetAdmin, setRole, type PersonChange } from "./people-rows.ts";
import { savedSearches, type SavedSearches } from "./people-searches.ts";
import {
  beginAttempt,
  createLink,
  findSignIn,
  redeemLink,
  signIn,
  signOut,
  takeAttempt,
  type Attempt,
} from "./sign-ins.ts";

export type NodePeople = {
  readonly tokens: KnownCredentials;
  /** Cookies of people. */
  readonly signIns: KnownCredentials;
  /** Null where people come in by links alone. */
  readonly provider: IdentityProvider | null;
  createToken(request: FleetTokenRequest, by: DeletedBy): Promise<CreatedFleetToken>;
  listTokens(visible: Projects): Promise<FleetTokenRow[]>;
  revokeToken(id: string, visible: Projects, by: DeletedBy): Promise<FleetTokenRow>;
  listPeople(visible: Projects): Promise<FleetPerson[]>;
  /** Gives a role, or takes it where it is null. The fleet keeps an admin. */
  setRole(request: PersonRoleRequest, by: Omit<PersonChange, "keepsAdmin">): Promise<PersonRoleAnswer>;
  removePerson(email: string, by: Omit<PersonChange, "keepsAdmin">): Promise<RemovedPerson>;
  /** Signs this person in, once. */
  createLink(person: string, minutes: number, by: PersonChange): Promise<SignInLink>;
  beginAttempt(attempt: Attempt): Promise<string>;
  takeAttempt(secret: string): Promise<Attempt | null>;
  signIn(person: Vouched): Promise<string>;
  redeemLink(token: string): Promise<string | null>;
  signOut(secret: string): Promise<void>;
  readonly searches: SavedSearches;
  readonly audit: Audit;
  listAudit(request: AuditRequest): Promise<AuditRow[]>;
};

export type PeopleOptions = {
  readonly now: () => number;
  readonly provider: IdentityProvider | null;
  /** Where rows of the audit log wait while the database is away. */
  readonly auditFile: string;
};

export function nodePeople(fleet: Fleet, { now, provider, auditFile }: PeopleOptions): NodePeople {
  const signIns = knownCredentials((secret) => findSignIn(fleet, secret), now);
  return {
    tokens: knownCredentials((secret) => findFleetToken(fleet, secret), now),
    signIns,
    provider,
    createToken: (request, by) => createFleetToken(fleet, request, by),
    listTokens: (visible) => listFleetTokens(fleet, visible),
    revokeToken: (id, visible, by) => revokeFleetToken(fleet, id, visible, by),
    listPeople: (visible) => listPeople(fleet, visible),
    async setRole({ email: text, project, role }, by) {
      const email = emailOf(text);
      if (project === null && role !== null && role !== "admin")
        fail("invalid", `The role ${role} is of one project. Name it, or give the role admin.`);
      const change =
        project === null
          ? await setFleetAdmin(fleet, email, role !== null, { ...by, keepsAdmin: true })
          : await setRole(fleet, email, project, role, by);
      return { email, project, role, ...change };
    },
    removePerson: (email, by) => removePerson(fleet, email, { ...by, keepsAdmin: true }),
    async createLink(person, minutes, by) {
      const token = await createLink(fleet, person, minutes, by);
      return { email: emailOf(person), path: `/sign-in/link?token=${token}`, minutes };
    },
    beginAttempt: (attempt) => beginAttempt(fleet, attempt),
    takeAttempt: (secret) => takeAttempt(fleet, secret),
    signIn: (person) => signIn(fleet, person),
    redeemLink: (token) => redeemLink(fleet, token),
    searches: savedSearches(fleet),
    audit: openAudit(fleet, auditFile, now),
    listAudit: (request) => listAudit(fleet, request),
    async signOut(secret) {
      await signOut(fleet, secret);
      signIns.forget(secret);
    },
  };
}
