import { UsagePage } from "#components/usage/usage-page.tsx";
import { appContext } from "#lib/http/app-context.ts";
import { localDay } from "#lib/kernel/load/usage-periods.ts";

export const metadata = { title: "Usage" };

// The days are those of this machine, and one of them is today.
export const dynamic = "force-dynamic";

export default function Page() {
  return <UsagePage today={localDay(appContext().archive.host.now())} />;
}
