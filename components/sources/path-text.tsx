import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** A path whose end is what tells it apart: the name first, then where it is. */
export function PathText({ path }: { path: string }) {
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  return (
    <span className="mono flex items-baseline gap-2" title={shownText(path)}>
      <span className="max-w-full flex-none truncate">
        <SafeText text={name} />
      </span>
      <span className="min-w-0 truncate text-ink-3">
        <SafeText text={path.slice(0, Math.max(cut, 0))} />
      </span>
    </span>
  );
}
