// The parameters of paths, checked at the door: an id that could be anything else never reaches the archive.
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { nearestNames } from "#lib/kernel/nearest-names.ts";
import { page } from "#lib/wire/common-schema.ts";
import { propertiesOf } from "./json-schema.ts";

/** `s_` + 16 hex, or the native id where an address carries it (`<format>:<native>`). */
export const sessionParams = z.object({
  /** Any name that a command takes: an id, a native id, the beginning of either, a title, `latest`. */
  id: z.string().regex(/^[^\p{Cc}]{1,400}$/u, "is not the name of a session"),
});

/** Of an entry of the table: a session is named, and a token that is bound to it sees it. */
export const inSession = { bound: "session", params: sessionParams } as const;

export const eventParams = sessionParams.extend({
  seq: z
    .string()
    .regex(/^\d{1,12}$/, "is not an event number")
    .transform(Number),
});

export const turnParams = sessionParams.extend({
  turn: z
    .string()
    .regex(/^\d{1,9}$/, "is not a turn number")
    .transform(Number),
});

export const memoryItemParams = sessionParams.extend({
  item: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an item id"),
});

export const compactionParams = z.object({
  id: z.string().regex(/^cmp_[0-9a-f]{16}$/, "is not a compaction id"),
});

export const carryOnParams = z.object({
  id: z.string().regex(/^con_[0-9a-f]{16}$/, "is not the id of a continuation"),
});

/** `art:<uuid>`, the content's `art_` and 16, 24 or 64 hex, or a digest. */
export const artifactParams = z.object({
  pointer: z
    .string()
    .regex(
      /^(art:[0-9A-Za-z][0-9A-Za-z-]{3,63}|art_[0-9a-f]{16}([0-9a-f]{8}|[0-9a-f]{48})?|[0-9a-f]{64})$/,
      "is not an artifact pointer",
    ),
});

/** The same of an artifact, which must lie in the session of the token. */
export const ofArtifact = { bound: "pointer", params: artifactParams } as const;

export const importParams = z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "is not an import id") });

export const programParams = z.object({ id: z.string().regex(/^prg_[0-9a-f]{16}$/, "is not a program id") });

export const personParams = z.object({ email: z.string().min(3).max(320) });
export const tokenParams = z.object({ id: z.string().min(1).max(200) });

/** Its id or its name. */
export const webhookParams = z.object({ id: z.string().min(1).max(200) });

export const toolParams = z.object({
  name: z.string().regex(/^[A-Za-z][A-Za-z_]{0,39}$/, "is not a tool name"),
});

/** `?inline=1` shows bytes in the browser, without any right. */
export const inlineQuery = z.object({ inline: z.string().optional() });

/** What a list of sources may be narrowed to. */
export const sourcesQuery = z.object({
  q: z.string().max(1000).default(""),
  status: z.enum(["ok", "older copy", "earlier version", "gone", "failed", "skipped"]).optional(),
  /** Only files that their agent deletes within so many days. */
  within: z.coerce.number().int().min(0).max(3650).optional(),
  /** What is deleted next comes first. */
  sort: z.enum(["deletion"]).optional(),
  ...page,
});

export const problemsQuery = z.object({ path: z.string().max(4096).optional(), ...page });

/** A value as its schema reads it. Fails with `invalid`, naming up to five of its fields. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, where: "path" | "query" | "body"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join(".") || "it"}: ${issue.message.replace(/\.$/u, "")}`);
  return fail("invalid", `The ${where} of this request is invalid. ${issues.join("; ")}.`);
}

const namesOf = new WeakMap<z.ZodType, readonly string[]>();

/** The query as its schema reads it; a name that the schema does not have would change nothing, and fails. */
export function checkedQuery<T>(schema: z.ZodType<T>, query: URLSearchParams, lists: readonly string[] = []): T {
  const names = namesOf.get(schema) ?? Object.keys(propertiesOf(schema).properties);
  namesOf.set(schema, names);
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    fail("invalid", `No parameter "${unknown.slice(0, 60)}" here. Did you mean ${nearestNames(unknown, names, 1)[0]}?`);
  const request: Record<string, string | string[]> = Object.fromEntries(query);
  for (const name of lists) if (query.has(name)) request[name] = query.getAll(name);
  return checked(schema, request, "query");
}
