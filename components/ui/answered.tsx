import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { RequestFailure } from "./failure.tsx";
import { Loading } from "./loading.tsx";

type AnsweredProps<Answer> = {
  query: { readonly data: Answer | undefined; readonly error: Error | null; readonly refetch: () => unknown };
  /** What was asked for, behind `the`: `tokens`. */
  what: string;
  /** Lines of the place that is kept for it. */
  rows: number;
  children: (answer: Answer) => ReactNode;
};

/** What a request brought; that it is on its way, or failed. */
export function Answered<Answer>({ query: { data, error, refetch }, what, rows, children }: AnsweredProps<Answer>) {
  if (error !== null)
    return (
      <RequestFailure
        error={error}
        title={`The ${what} could not be read`}
        action={<Button onClick={() => void refetch()}>Try again</Button>}
      />
    );
  return data === undefined ? <Loading rows={rows} label={`Loading the ${what}`} /> : children(data);
}
