import Link from "next/link";
import { LIMITS } from "#lib/kernel/limits.ts";
import { formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { LIMIT_GROUPS, LIMIT_WORDS, limitText } from "./limit-words.ts";

type Name = keyof typeof LIMITS;

/** What the product is, and its one table of limits. */
export function LimitsTab({ archive }: { archive: string }) {
  const names = Object.keys(LIMITS) as Name[];
  return (
    <div className="pb-8">
      <section aria-label="About" className="max-w-160 text-ink-2">
        <p>Runs on this machine only, without telemetry. Session files are never changed.</p>
        <p className="mt-2">
          This archive is{" "}
          <span className="mono break-all text-ink">
            <SafeText text={archive} />
          </span>
          .
        </p>
        <p className="mt-2">
          Watched folders are under{" "}
          <Link className="link underline" href="/sources">
            {" "}
            Sources{" "}
          </Link>{" "}
          . The limits below are fixed in each release.
        </p>
      </section>
      <div className="mt-5 gap-8 xl:columns-2">
        {LIMIT_GROUPS.map((group) => (
          <section key={group} aria-label={group} className="mb-6 break-inside-avoid">
            <h2 className="border-b border-line-strong pb-1 text-13 font-semibold">{group}</h2>
            <dl>
              {names
                .filter((name) => LIMIT_WORDS[name]?.group === group)
                .map((name) => (
                  <div key={name} className="flex items-baseline gap-4 border-b border-line py-1">
                    <dt className="min-w-0 flex-1 text-ink-2">{LIMIT_WORDS[name]?.says}</dt>
                    <dd className="num" title={`${formatTokens(LIMITS[name])}, ${name}`}>
                      {limitText(name, LIMITS[name])}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </div>
  );
}
