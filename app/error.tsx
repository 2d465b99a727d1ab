"use client";
import { Button } from "#components/ui/button.tsx";
import { Failure } from "#components/ui/failure.tsx";
import { failureOf } from "#components/ui/api.ts";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorProps) {
  const { code, message } = failureOf(error);
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <Failure code={code} title="This page could not be shown" action={<Button onClick={reset}>Try again</Button>}>
        {message}
        {error.digest !== undefined && <> The log has it under {error.digest}.</>}
      </Failure>
    </div>
  );
}
