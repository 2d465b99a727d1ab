// The server itself: that it runs, who it is, what changed, the tools that a model may be given.
import { z } from "zod";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { pinnedFor } from "#lib/archive/settings/access-token-rows.ts";
import { fail, forbid } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { describeTools, runTool, toolOf } from "#lib/tools/run-tool.ts";
import type { PinnedArguments } from "#lib/wire/tokens-schema.ts";
import { toolAnswer, toolQuery, toolsAnswer } from "#lib/wire/tools-schema.ts";
import { get, post } from "../endpoint.ts";
import { toolParams } from "../params.ts";
import { covers, tokenIdOf, type Principal } from "../principal.ts";
import { proofOf } from "../server-address.ts";
import { isStillIn } from "../still-in.ts";
import { streamChanges } from "../streams.ts";

/** What the host of a token's agent fixed of its tools. */
const pinnedOf = (archive: Archive, principal: Principal): PinnedArguments =>
  principal.kind === "token" ? pinnedFor(archive, tokenIdOf(principal)) : {};

export const serverEndpoints = [
  // Balancers ask it, and have no credential.
  get("/api/health", { auth: "open", answer: z.object({ ok: z.literal(true) }), run: () => ({ ok: true as const }) }),
  get("/api/tools", {
    bound: "query",
    answer: toolsAnswer,
    run: ({ archive, principal }) => ({ tools: describeTools(pinnedOf(archive, principal)) }),
  }),
  post("/api/tools/:name", {
    // Each tool looks at the scope itself: most only read.
    scope: "read",
    bound: "query",
    params: toolParams,
    query: toolQuery,
    body: z.unknown(),
    bodyBytes: LIMITS.toolRequestBytes,
    answer: toolAnswer,
    run: ({ archive, params, query, body, principal }) => {
      if (toolOf(params.name).writes && !covers(principal, "write"))
        forbid(`${params.name} writes, and this token may only read. Use a token with scope write.`);
      const asker = { session: principal.session ?? query.session, who: principal.id };
      return runTool(archive, params.name, body, asker, pinnedOf(archive, principal));
    },
  }),
  get("/api/changes", {
    query: z.object({ lastEventId: z.string().optional() }),
    run: (call) => streamChanges(call, () => isStillIn(call)),
  }),
  // The command line proves with it that this is the server of endpoint.json before it sends the token.
  get("/api/endpoint", {
    auth: "open",
    query: z.object({ challenge: z.string().default("") }),
    answer: z.object({ proof: z.string() }),
    run: ({ app, query }) => {
      if (!/^[0-9a-f]{32,128}$/.test(query.challenge)) fail("invalid", "A challenge is 32 to 128 hexadecimal digits.");
      return { proof: proofOf(app.nonce, query.challenge) };
    },
  }),
  // A new link that signs a browser in, for a second start on the same archive.
  post("/api/launch", {
    auth: "bearer",
    answer: z.object({ link: z.string(), pid: z.number() }),
    isSecret: true,
    run: ({ app }) => ({ link: app.newLink(), pid: process.pid }),
  }),
];
