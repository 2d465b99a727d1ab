// The API is one table (lib/http/routes.ts), which bin/serve.ts answers in front of Next. Next by itself answers any host and has
// nothing open: it says where the API is.
const refuse = (): Response => {
  const message = "The API is not served here. Start Plimsoll with npm start or npm run dev.";
  return Response.json({ error: { code: "unsupported", message } }, { status: 422 });
};

export { refuse as DELETE, refuse as GET, refuse as POST, refuse as PUT };
