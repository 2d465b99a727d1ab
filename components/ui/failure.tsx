import type { ReactNode } from "react";
import { failureOf } from "./api.ts";
import { Badge } from "./badge.tsx";
import { SafeText } from "./safe-text.tsx";

type FailureProps = {
  code: string;
  /** What was asked and did not happen. */
  title: string;
  /** What was found, and what to do. */
  children?: ReactNode;
  action?: ReactNode;
};

/** A failure, said where it happened. The rest of the page stays usable. */
export function Failure({ code, title, children, action }: FailureProps) {
  return (
    <div role="alert" className="flex items-start gap-2">
      <Badge tone="error">{code}</Badge>
      <div className="min-w-0">
        <div className="font-medium">
          <SafeText text={title} />
        </div>
        {children !== undefined && (
          <div className="text-12 break-words text-ink-2">
            {/* A message may quote the name that was asked for. */}
            {typeof children === "string" ? <SafeText text={children} /> : children}
          </div>
        )}
        {action !== undefined && <div className="mt-1">{action}</div>}
      </div>
    </div>
  );
}

type RequestFailureProps = { error: unknown; title: string; action?: ReactNode };

/** A request that failed, in the words of its error. */
export function RequestFailure({ error, title, action }: RequestFailureProps) {
  const { code, message } = failureOf(error);
  return (
    <Failure code={code} title={title} action={action}>
      {message}
    </Failure>
  );
}
