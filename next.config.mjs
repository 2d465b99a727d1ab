/** @returns {import("next").NextConfig} */
export default (phase) => ({
  poweredByHeader: false,
  reactStrictMode: true,
  // The optimiser fetches addresses that a request names; the gate answers its path with 404 too.
  images: { unoptimized: true },
  // Types are checked by `npm test`; a start builds 2 s faster, and a half-typed edit does not keep it from starting.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ["better-sqlite3"],
  devIndicators: false,
  turbopack: {
    rules: Object.fromEntries(
      ["json-schema-processors", "to-json-schema"].map((name) => [
        `**/zod/v4/core/${name}.js`,
        { condition: "browser", loaders: ["./scripts/without-json-schema.cjs"] },
      ]),
    ),
  },
  // Next then lists the files that a server needs of it, for the package (scripts/package-pages.mjs).
  ...(phase === "phase-production-build" && { output: "standalone" }),
});
