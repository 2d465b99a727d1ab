import { SafeText } from "../ui/safe-text.tsx";

/** Text as a model is given it, in a box that scrolls. */
export function GivenText({ text, label }: { text: string; label: string }) {
  return (
    <pre
      className="mono mt-1 max-h-80 overflow-auto border-l-2 border-line-strong py-1 pl-2.5 wrap-anywhere whitespace-pre-wrap text-ink-2"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <pre> has no role that may have a name
      role="group"
      aria-label={label}
    >
      <SafeText text={text} badge />
    </pre>
  );
}
