// The first answers of a page travel inside it, so that its content stands before any script runs. Their keys are
// those that the components ask with; what fails here is asked again, and told, in the browser.
import { dehydrate, QueryClient, type DehydratedState, type QueryKey } from "@tanstack/react-query";
import { listArtifacts } from "#lib/archive/sessions/list-artifacts.ts";
import { readHome } from "#lib/archive/load/home-answer.ts";
import { homeQuery } from "#lib/wire/home-schema.ts";
import { listSessions } from "#lib/archive/sessions/list-sessions.ts";
import { appContext } from "#lib/http/app-context.ts";
import { callerProjects, seesArchive } from "#lib/http/caller.ts";
import { sourcesQuery } from "#lib/http/params.ts";
import { sourcesNow } from "#lib/http/sources-now.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { artifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { sessionsQuery, type SessionsAnswer, type SessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Question } from "#components/sessions/session-filters.ts";
import type { SourceQuestion } from "#components/sources/source-filters.ts";
import type { ArtifactChoices } from "#components/artifacts-list/artifact-filters.ts";
import { PAGE } from "#components/ui/page-size.ts";

type First = { readonly key: QueryKey; readonly answer: () => Promise<unknown> };

/** The answers, as the browser's cache takes them. */
export async function firstAnswers(firsts: readonly First[]): Promise<DehydratedState> {
  const client = new QueryClient();
  await Promise.all(
    firsts.map(async ({ key, answer }) => {
      try {
        client.setQueryData(key, await answer());
      } catch (error) {
        // A refusal is told by the door when the browser asks; a bug must not hide behind the second question.
        if (!isAppError(error)) console.error(`The first answer for ${JSON.stringify(key)} failed:`, error);
      }
    }),
  );
  return dehydrate(client);
}

/** What the frame around every page says. */
export const frame: readonly First[] = [
  { key: ["sources", "totals"], answer: () => sources(1) },
  { key: ["sessions", "counts"], answer: () => sessionsOf(sessionsQuery.parse({ limit: 1 })) },
];

/** Of the fleet, where this server is a node of one. */
const sessionsOf = (query: SessionsQuery): Promise<SessionsAnswer> =>
  appContext().fleet?.listSessions(query, callerProjects()) ?? listSessions(appContext().archive, query);

export const firstSessions = (question: Question): First => ({
  key: ["sessions", "page", question, 0],
  answer: () => sessionsOf(sessionsQuery.parse({ ...chosen(question), sums: "1", limit: PAGE })),
});

/** The week by project, as the page opens. */
export const firstHome: First = {
  key: ["sessions", "home", "project"],
  answer: () =>
    appContext().fleet?.answers.home(homeQuery.parse({}), callerProjects()) ??
    readHome(appContext().archive, homeQuery.parse({})),
};

export const firstArtifacts = (question: ArtifactChoices): First => ({
  key: ["artifacts", question, 0],
  answer: () => {
    const query = artifactsQuery.parse({ ...chosen(question), limit: PAGE });
    const { fleet } = appContext();
    return fleet === null || query.session !== undefined
      ? listArtifacts(ownArchive(), query)
      : fleet.answers.artifacts(query, callerProjects());
  },
});

export const firstSources = (question: SourceQuestion): First => ({
  key: ["sources", "files", question, 0],
  answer: () => sources(PAGE, question),
});

const sources = async (limit: number, question?: SourceQuestion) =>
  ownArchive() && sourcesNow(appContext(), sourcesQuery.parse({ ...chosen(question ?? {}), limit }));

/** What this server's archive has of every project is not for everybody on a node of a fleet: the door says so. */
const ownArchive = () =>
  seesArchive() ? appContext().archive : fail("not_found", "Only an admin of the fleet sees what this node has.");

/** As a query string has it: what was not chosen is absent. */
function chosen(question: object): object {
  return Object.fromEntries(Object.entries(question).filter(([, value]) => value !== null && value !== ""));
}
