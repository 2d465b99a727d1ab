"use client";
import { queryOptions } from "@tanstack/react-query";
import { retentionPreview, retentionSettings, type RetentionSettings } from "#lib/wire/retention-schema.ts";
import { calibrationRun } from "#lib/wire/calibration-run-schema.ts";
import { presetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import { budgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { usageAnswer } from "#lib/wire/usage-schema.ts";
import { modelsAnswer, policyAnswer, presetsAnswer } from "#lib/wire/settings-schema.ts";
import { sessionsAnswer } from "#lib/wire/sessions-schema.ts";
import { warnSetting } from "#lib/wire/status-schema.ts";
import { summarizerAnswer } from "#lib/wire/summarizer-schema.ts";
import { tokensAnswer } from "#lib/wire/tokens-schema.ts";
import { deliveriesAnswer, webhooksAnswer } from "#lib/wire/webhooks-schema.ts";
import { api, send } from "../ui/api.ts";

export const policyQuery = queryOptions({
  queryKey: ["settings", "policy"],
  queryFn: ({ signal }) => api("/api/settings/policy", policyAnswer, { signal }),
});

export const presetsQuery = queryOptions({
  queryKey: ["settings", "presets"],
  queryFn: ({ signal }) => api("/api/settings/presets", presetsAnswer, { signal }),
});

/** What each preset would have saved. The first question begins the work; while it runs it is asked how far it is. */
export const savingsQuery = queryOptions({
  queryKey: ["settings", "presets", "savings"],
  queryFn: ({ signal }) => api("/api/settings/presets/savings", presetSavingsRun, { signal }),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.running == null ? false : 300),
});

export const modelsQuery = queryOptions({
  queryKey: ["settings", "models"],
  queryFn: ({ signal }) => api("/api/settings/models", modelsAnswer, { signal }),
  // Sessions come in while the page is open, and figures follow a change in the background.
  staleTime: 0,
  refetchInterval: ({ state }) => ((state.data?.left ?? 0) > 0 ? 1000 : false),
});

export const calibrationQuery = queryOptions({
  queryKey: ["settings", "calibration"],
  queryFn: ({ signal }) => api("/api/settings/calibration", calibrationRun, { signal }),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.running == null ? false : 500),
});

export const summarizerQuery = queryOptions({
  queryKey: ["settings", "summarizer"],
  queryFn: ({ signal }) => api("/api/settings/summarizer", summarizerAnswer, { signal }),
});

export const warningQuery = queryOptions({
  queryKey: ["settings", "warning"],
  queryFn: ({ signal }) => api("/api/settings/warning", warnSetting, { signal }),
});

// Under the key of the sessions: what they cost is spent of it.
export const budgetsQuery = queryOptions({
  queryKey: ["sessions", "budgets"],
  queryFn: ({ signal }) => api("/api/usage/budgets", budgetsAnswer, { signal }),
  staleTime: 0,
});

/** Folders that sessions began in, those of most sessions first; on a node the projects of its fleet that have spent, by name. */
export const projectsQuery = (isNode: boolean) =>
  queryOptions({
    queryKey: ["sessions", isNode ? "fleet projects" : "projects"],
    queryFn: async ({ signal }) => {
      if (!isNode)
        return (await api("/api/sessions?limit=1", sessionsAnswer, { signal })).facets.projects.map(
          ({ value }) => value,
        );
      const { monthly = [] } = await api("/api/usage?period=monthly&by=fleet-project", usageAnswer, { signal });
      return [...new Set(monthly.map(({ group }) => group ?? ""))].filter(Boolean).toSorted();
    },
  });

export const retentionQuery = queryOptions({
  queryKey: ["retention", "settings"],
  queryFn: ({ signal }) => api("/api/retention", retentionSettings, { signal }),
});

/** What these settings would take away now. */
export const previewQuery = (settings: RetentionSettings) =>
  queryOptions({
    queryKey: ["retention", "preview", settings],
    queryFn: () => send("POST", "/api/retention/preview", retentionPreview, settings),
    staleTime: 0,
  });

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) => api("/api/tokens", tokensAnswer, { signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => api("/api/webhooks", webhooksAnswer, { signal }),
  // They are sent while the page is open.
  staleTime: 0,
  refetchInterval: 5000,
});

export const deliveriesQuery = (webhook: string) =>
  queryOptions({
    queryKey: ["webhooks", webhook],
    queryFn: ({ signal }) =>
      api(`/api/webhooks/${encodeURIComponent(webhook)}/deliveries`, deliveriesAnswer, { signal }),
    staleTime: 0,
    refetchInterval: 2000,
  });
