import type { ComponentProps, ReactNode } from "react";

type ButtonProps = ComponentProps<"button"> & {
  kind?: "primary" | "plain" | "quiet";
  small?: boolean;
};

/** The classes of a button, for a link that looks like one. */
export function buttonClass(kind: "primary" | "plain" | "quiet" = "plain", small = false): string {
  const size = small ? "h-6 px-2 text-12 rounded-1" : "h-7 px-2.5 text-13 rounded-2";
  const kinds = {
    primary: "border-ink bg-ink text-invert hover:opacity-90",
    plain: "border-line-strong bg-raised text-ink hover:border-control",
    quiet: "border-transparent text-ink-2 hover:bg-sunk",
  };
  return `inline-flex flex-none items-center justify-center gap-1.5 border font-medium whitespace-nowrap transition-colors duration-[90ms] disabled:border-line disabled:bg-sunk disabled:text-ink-3 ${size} ${kinds[kind]}`;
}

/** A disabled button needs a title that says why. */
export function Button({ kind = "plain", small = false, className = "", ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={`${buttonClass(kind, small)} ${className}`} />;
}

type IconButtonProps = ComponentProps<"button"> & { label: string; children: ReactNode };

/** A quiet button that shows only an icon; its name is its title too. */
export function IconButton({ label, children, className = "", ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-grid size-7 flex-none place-items-center rounded-2 text-ink-2 hover:bg-sunk disabled:text-ink-3 ${className}`}
    >
      {children}
    </button>
  );
}
