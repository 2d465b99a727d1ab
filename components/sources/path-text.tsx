import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** A long name keeps so many characters of its end: names of one agent begin alike. */
const TAIL = 14;

/** A path whose end is what tells it apart: the name first, cut in its middle where it is long, then where it is. */
export function PathText({ path }: { path: string }) {
  const cut = path.lastIndexOf("/");
  const name = [...path.slice(cut + 1)];
  const end = name.length > 2 * TAIL ? name.length - TAIL : name.length;
  return (
    <span className="mono flex items-baseline gap-2" title={shownText(path)}>
      <span className="flex max-w-full flex-none">
        <span className="truncate">
          <SafeText text={name.slice(0, end).join("")} />
        </span>
        <span className="flex-none">
          <SafeText text={name.slice(end).join("")} />
        </span>
      </span>
      <span className="min-w-0 truncate text-ink-3">
        <SafeText text={path.slice(0, Math.max(cut, 0))} />
      </span>
    </span>
  );
}
