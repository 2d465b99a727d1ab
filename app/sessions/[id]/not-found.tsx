import { SessionNotFound } from "#components/session/session-not-found.tsx";

export const metadata = { title: "Not found" };

export default SessionNotFound;
