import { SafeText } from "../ui/safe-text.tsx";

export type Sought = { readonly q: string; readonly exact: boolean };

/** Untrusted text with what was searched for marked in it. */
export function Marked({ text, sought }: { text: string; sought: Sought | null }) {
  if (sought === null || sought.q === "") return <SafeText text={text} />;
  const fold = (one: string) => (sought.exact ? one : one.toLowerCase());
  const [haystack, needle] = [fold(text), fold(sought.q)];
  // Letters that change their length with their size would shift what is marked.
  if (haystack.length !== text.length || !haystack.includes(needle)) return <SafeText text={text} />;
  const parts: { text: string; isHit: boolean; from: number }[] = [];
  let from = 0;
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, from)) {
    parts.push({ text: text.slice(from, at), isHit: false, from });
    parts.push({ text: text.slice(at, at + needle.length), isHit: true, from: at });
    from = at + needle.length;
  }
  parts.push({ text: text.slice(from), isHit: false, from });
  return parts
    .filter((part) => part.text !== "")
    .map((part) =>
      part.isHit ? (
        <mark key={part.from}>
          <SafeText text={part.text} />
        </mark>
      ) : (
        <SafeText key={part.from} text={part.text} />
      ),
    );
}
