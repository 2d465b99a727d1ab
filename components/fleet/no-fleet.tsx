import { Empty } from "../ui/empty.tsx";
import { PageHead } from "../ui/page-head.tsx";

/** In place of the page for whoever manages nothing here. */
export function NoFleet({ isNode }: { isNode: boolean }) {
  return (
    <>
      <PageHead title="Fleet">People, tokens, audit log and limits of projects.</PageHead>
      <div className="px-6 pt-10 max-md:px-4">
        {isNode ? (
          <Empty title="For admins of a project">
            You manage none of this fleet’s projects. Ask one of their admins for the role admin.
          </Empty>
        ) : (
          <Empty title="This server is not a node of a fleet">
            A fleet is many machines with one catalogue. <code className="mono">docs/fleet.md</code> says how to set one
            up.
          </Empty>
        )}
      </div>
    </>
  );
}
