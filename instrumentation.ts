// What a page could not be made of. The page says a number alone, and the server itself logs nothing: here its log gets the rest.

type PageError = { readonly digest?: string; readonly stack?: string; readonly message?: string };

export function onRequestError(error: unknown, { method, path }: { method: string; path: string }): void {
  const { digest = "", stack, message } = (error ?? {}) as PageError;
  // Words for a person (app/or-not-found.ts), which the page shows.
  if (digest.includes(" ")) return;
  const where = `${method} ${path.split("?")[0]}`;
  console.error(
    JSON.stringify({ at: new Date().toISOString(), error: digest, where, stack: stack ?? message ?? String(error) }),
  );
}
