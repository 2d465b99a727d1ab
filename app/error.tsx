"use client";
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { errorOfDigest } from "#lib/kernel/error-digest.ts";
import { Button } from "#components/ui/button.tsx";
import { Failure } from "#components/ui/failure.tsx";
import { failureOf } from "#components/ui/api.ts";

type ErrorProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorProps) {
  const router = useRouter();
  const told = errorOfDigest(error.digest);
  const { code, message } = failureOf(told ?? error);
  // What the server could not make is asked of it again.
  const again = (): void =>
    startTransition(() => {
      router.refresh();
      reset();
    });
  return (
    <div className="mx-auto w-full max-w-140 px-6 pt-24">
      <Failure code={code} title="This page could not be shown" action={<Button onClick={again}>Try again</Button>}>
        {message}
        {told === null && error.digest !== undefined && <> The log has it under {error.digest}.</>}
      </Failure>
    </div>
  );
}
