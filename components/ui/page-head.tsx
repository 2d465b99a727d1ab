import type { ReactNode } from "react";

type PageHeadProps = {
  title: string;
  /** One sentence with the numbers in it. */
  children: ReactNode;
  aside?: ReactNode;
};

/** The head of a page: what it is, what it comes to, and its search. */
export function PageHead({ title, children, aside }: PageHeadProps) {
  return (
    <header className="flex flex-none flex-wrap items-end gap-x-4 gap-y-2 px-6 pt-4 max-md:px-4">
      <div className="min-w-0 flex-1 max-[720px]:basis-full">
        <h1 className="text-20 font-semibold">{title}</h1>
        <p className="mt-0.5 text-ink-2">{children}</p>
      </div>
      {aside}
    </header>
  );
}
