"use client";
import { HydrationBoundary, QueryClient, QueryClientProvider, type DehydratedState } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { useMemo, useState, type ReactNode } from "react";
import { AccessContext, type Access } from "#components/ui/access-context.ts";
import { fetched } from "#components/ui/fetched.tsx";
import { Live } from "#components/ui/live.tsx";
import { isAppError } from "#lib/kernel/errors.ts";

type ProvidersProps = Access & { state: DehydratedState; children: ReactNode };

/** What every page stands in: one cache of answers, the URL as state, and the stream of changes. */
export function Providers({ state, seesAll, isNode, writes, runsServer, person, manages, children }: ProvidersProps) {
  const [client] = useState(createClient);
  const access = useMemo(
    () => ({ seesAll, isNode, writes, runsServer, person, manages }),
    [seesAll, isNode, writes, runsServer, person, manages],
  );
  return (
    <QueryClientProvider client={client}>
      <AccessContext value={access}>
        <NuqsAdapter>
          {seesAll && <Live />}
          {isNode && <Poll />}
          <HydrationBoundary state={state}>{children}</HydrationBoundary>
        </NuqsAdapter>
      </AccessContext>
    </QueryClientProvider>
  );
}

/** Of a node alone: the first page of others stays as small as it was. */
const Poll = fetched(() => import("#components/ui/poll.tsx").then((module) => module.Poll));

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Changes arrive over the event stream; asking again on its own is for a tab that slept.
        staleTime: 30_000,
        // A refusal with a code stays a refusal; anything else may be a server that is starting.
        retry: (count, error) => count < 2 && !isAppError(error),
      },
    },
  });
}
