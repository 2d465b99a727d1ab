// The session of a page, read on the server for whoever asks: at a node of a fleet it is brought here before, if they may see it.
import { notFound } from "next/navigation";
import { cache } from "react";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { appContext } from "#lib/http/app-context.ts";
import { caller, callerProjects } from "#lib/http/caller.ts";
import { withinProjects } from "#lib/http/fleet-projects.ts";
import { broughtHere, takeoverOf } from "#lib/http/fleet-routing.ts";
import { sessionParams } from "#lib/http/params.ts";
import { orNotFound } from "./or-not-found.ts";

export type SessionPageParams = Promise<{ id: string }>;

export async function idOf(params: SessionPageParams): Promise<string> {
  const request = sessionParams.safeParse({ id: decodeURIComponent((await params).id) });
  return request.success ? request.data.id : notFound();
}

/** The head and the page ask for the same session in one request. Null: another node has all of it, and answers the browser. */
export const openedSession = cache((id: string) =>
  orNotFound(async () => {
    const app = appContext();
    const here = app.fleet === null ? id : await broughtHere(app, app.fleet, id, callerProjects());
    if (here === null) return null;
    const takeover = await takeoverOf(app, here, caller());
    const shown = await withinProjects(app, caller(), await showSession(app.archive, here));
    return takeover === null ? shown : { ...shown, takeover };
  }),
);
