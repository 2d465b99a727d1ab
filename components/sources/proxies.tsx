import type { ProxyRow } from "#lib/wire/sources-schema.ts";
import { LiveDot } from "../ui/badge.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

/** The capture proxies that run now: for whom, since when, and what they recorded. */
export function Proxies({ proxies }: { proxies: readonly ProxyRow[] }) {
  return (
    <section aria-label="Capture proxies" className="flex-none px-6 pt-3 max-md:px-4">
      <ul className="text-13">
        {proxies.map((proxy) => (
          <li key={proxy.pid} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
            <LiveDot />
            <span>
              Capture proxy{" "}
              {proxy.command === null ? (
                <span className="mono">127.0.0.1:{proxy.port}</span>
              ) : (
                <>
                  of <SafeText text={proxy.command} />
                </>
              )}
            </span>
            <span className="text-ink-2">
              since <When ts={new Date(proxy.startedAt).toISOString()} />
            </span>
            <span className="num">{formatCount(proxy.exchanges, "request")} recorded</span>
            {proxy.lost > 0 && (
              <span className="font-medium">
                {formatCount(proxy.lost, "request")} not recorded ({proxy.lastLoss})
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
