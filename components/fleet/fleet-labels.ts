// Roles, tokens and acts of a fleet, as the page says them.
import type {
  AuditAction,
  CreatedFleetToken,
  FleetPerson,
  FleetScope,
  FleetTokenRow,
  PersonRole,
  PersonRoleRequest,
} from "#lib/wire/fleet-people-schema.ts";
import type { ProjectRetention } from "#lib/wire/fleet-retention-schema.ts";
import type { Managed } from "../ui/access-context.ts";
import { formatBytes, formatCount } from "../ui/format.ts";

export const ROLE_WORDS: Readonly<Record<PersonRole, string>> = {
  reader: "Sees its sessions.",
  writer: "Sees its sessions, and writes.",
  admin: "Also manages people, tokens, deletions and limits.",
};

export const FLEET_SCOPE_WORDS: Readonly<Record<FleetScope, string>> = {
  send: "sends sessions, and sees none",
  read: "reads its project",
  write: "reads, sends and writes",
  admin: "also manages people and tokens, deletes and restores",
};

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  read: "read",
  delete: "deleted",
  restore: "restored",
  retention: "set limits",
  person: "changed access",
  token: "changed tokens",
  models: "set models",
  settings: "set defaults",
};

/** What a newer version notes stands in its own word. */
export const actionWords = (action: string): string =>
  Object.hasOwn(ACTION_WORDS, action) ? ACTION_WORDS[action as AuditAction] : action;

/** Who it was: `person:ann@example.com`, `token:ft_…`, `browser:…`, a command, or a limit. */
export function whoWords(who: string): string {
  const [, kind, name = ""] = /^(person|token|browser):(.*)$/su.exec(who) ?? [];
  if (kind === "person") return name;
  if (kind === "token") return `token ${name}`;
  if (kind === "browser") return "a node’s own link";
  return who === "command-line" ? "a node’s command line" : who === "retention" ? "limits of the project" : who;
}

/** `all projects, admin`, or each project with its role. */
export const roleTexts = ({ isAdmin, roles }: Pick<FleetPerson, "isAdmin" | "roles">): string[] => [
  ...(isAdmin === true ? ["admin of the fleet"] : []),
  ...Object.entries(roles).map(([project, role]) => `${project} ${role}`),
];

const NAMED_TOKENS = 5;

/** `build server, laptop and 2 more`. */
export function tokenNames(tokens: readonly Pick<FleetTokenRow, "name">[]): string {
  const names = tokens.slice(0, NAMED_TOKENS).map(({ name }) => name);
  const more = tokens.length - names.length;
  return `${names.length === 0 ? "none" : names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** Their role in a project; null for none. */
export const roleIn = ({ roles }: Pick<FleetPerson, "roles">, project: string): PersonRole | null =>
  Object.hasOwn(roles, project) ? roles[project]! : null;

export type RoleDraft = {
  readonly isAdmin: boolean;
  /** Null: the role is taken. */
  readonly roles: Readonly<Record<string, PersonRole | null>>;
};

/** The requests that give somebody the roles of the draft; of the fleet last, as it is refused for its last admin. */
export function roleChanges(person: FleetPerson, draft: RoleDraft): PersonRoleRequest[] {
  const { email } = person;
  return [
    ...Object.entries(draft.roles)
      .filter(([project, role]) => roleIn(person, project) !== role)
      .map(([project, role]) => ({ email, project, role })),
    ...(person.isAdmin === null || person.isAdmin === draft.isAdmin
      ? []
      : [{ email, project: null, role: draft.isAdmin ? ("admin" as const) : null }]),
  ];
}

/** The live tokens in somebody's name that end with the roles which the draft takes. */
export function endingTokens<T extends Pick<FleetTokenRow, "person" | "project" | "state">>(
  person: FleetPerson,
  { isAdmin, roles }: RoleDraft,
  tokens: readonly T[],
): T[] {
  const hadAll = person.isAdmin === true;
  if (isAdmin) return [];
  return tokens.filter(({ person: of, project, state }) => {
    if (of !== person.email || state !== "live") return false;
    if (project === null) return hadAll && Object.values(roles).every((role) => role === null);
    const hasRole = Object.hasOwn(roles, project) && roles[project] !== null;
    return !hasRole && (hadAll || roleIn(person, project) !== null);
  });
}

/** The projects that a form offers, by name: those that they manage, or for an admin of the fleet all that anything names. */
export function projectNames(
  managed: Managed,
  named: {
    readonly people?: readonly Pick<FleetPerson, "roles">[] | undefined;
    readonly tokens?: readonly Pick<FleetTokenRow, "project">[] | undefined;
    readonly limits?: readonly Pick<ProjectRetention, "project">[] | undefined;
    readonly spent?: readonly string[] | undefined;
  },
): string[] {
  if (managed !== "all") return managed.toSorted();
  const { people = [], tokens = [], limits = [], spent = [] } = named;
  const all = [
    ...people.flatMap(({ roles }) => Object.keys(roles)),
    ...tokens.flatMap(({ project }) => (project === null ? [] : [project])),
    ...limits.map(({ project }) => project),
    ...spent,
  ];
  return [...new Set(all)].toSorted();
}

type Use = { readonly about: string; readonly lines: readonly string[] };

/** How a new token is used, as commands to copy. */
export function usesOf({ token, scope }: Pick<CreatedFleetToken, "token" | "scope">, origin: string): Use[] {
  const send: Use = {
    about: "Send sessions with it; --dry-run shows which would leave:",
    lines: [`export PLIMSOLL_SEND_TOKEN=${token}`, `npx plimsoll send --to ${origin} --dry-run`],
  };
  const read: Use = {
    about: "Read over HTTP with it:",
    lines: [`curl -sS -H "Authorization: Bearer ${token}" ${origin}/api/sessions`],
  };
  return scope === "send" ? [send] : scope === "read" ? [read] : [send, read];
}

/** `90 days, 50 GB`. */
export function limitsText({ days, bytes }: Pick<ProjectRetention, "days" | "bytes">): string {
  const parts = [...(days === null ? [] : [formatCount(days, "day")]), ...(bytes === null ? [] : [formatBytes(bytes)])];
  return parts.length === 0 ? "everything" : parts.join(", ");
}

/** A list of a whole fleet may have thousands of rows: the page draws so many of those that fit. */
export const MOST_ROWS = 200;

export const isNamed = (texts: readonly (string | null)[], words: string): boolean =>
  words.trim() === "" || texts.some((text) => text?.toLowerCase().includes(words.trim().toLowerCase()) === true);
