import type { TelemetryRow } from "#lib/wire/sources-schema.ts";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

/** From whom telemetry came over OpenTelemetry, how much, and when the last of it. */
export function TelemetrySources({ telemetry }: { telemetry: readonly TelemetryRow[] }) {
  return (
    <section aria-label="Telemetry" className="flex-none px-6 pt-3 max-md:px-4">
      <ul className="text-13">
        {telemetry.map(({ service, records, firstAt, lastAt }) => (
          <li key={service} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
            <span>
              Telemetry of <SafeText text={service === "" ? "an unnamed service" : service} />
            </span>
            <span className="num">{formatCount(records, "record")}</span>
            <span className="text-ink-2">
              last <When ts={new Date(lastAt).toISOString()} />
            </span>
            <span className="text-ink-3">
              since <When ts={new Date(firstAt).toISOString()} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
