import type { ReactNode } from "react";
import { Mark } from "./mark.tsx";

type EmptyProps = {
  title: string;
  /** What was looked for, and where. */
  children: ReactNode;
  actions?: ReactNode;
  /** The edge is dashed where files can be dropped. */
  drop?: boolean;
};

export function Empty({ title, children, actions, drop = false }: EmptyProps) {
  return (
    <div
      className={`rounded-3 px-5 py-6 text-center text-ink-2 ${drop ? "border border-dashed border-line-strong" : ""}`}
    >
      <div className="grid place-items-center text-ink-3">
        <Mark height={36} />
      </div>
      <h2 className="mt-2 text-13 font-semibold text-ink">{title}</h2>
      <div className="mx-auto mt-1 max-w-105 text-12">{children}</div>
      {actions !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
