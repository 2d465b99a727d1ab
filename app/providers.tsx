"use client";
import { HydrationBoundary, QueryClient, QueryClientProvider, type DehydratedState } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { useState, type ReactNode } from "react";
import { Live } from "#components/ui/live.tsx";
import { isAppError } from "#lib/kernel/errors.ts";

type ProvidersProps = { state: DehydratedState; children: ReactNode };

/** What every page stands in: one cache of answers, the URL as state, and the stream of changes. */
export function Providers({ state, children }: ProvidersProps) {
  const [client] = useState(createClient);
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <Live />
        <HydrationBoundary state={state}>{children}</HydrationBoundary>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

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
