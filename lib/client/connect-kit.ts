// A kit that records into a running Plimsoll: outputs are kept here for reading back, and there with the whole session. What
// another process of the session stored is read from there, and grep and jq run there.
import { isAppError } from "#lib/kernel/errors.ts";
import { ArtifactKit, type ArtifactKitOptions } from "./artifact-kit.ts";
import type { ArtifactTool } from "./artifact-tool.ts";
import { remoteTools } from "./backends.ts";
import { Recorder, type RecorderOptions } from "./recorder/event-recorder.ts";
import { Plimsoll } from "./remote.ts";
import type { RemoteSession } from "./remote-session.ts";

export type ConnectOptions = RecorderOptions & Omit<ArtifactKitOptions, "recorder" | "readTools" | "readElsewhere">;

export type ConnectedKit = {
  readonly kit: ArtifactKit;
  readonly recorder: Recorder;
  /** Null while Plimsoll is away: records wait, and the model has `artifact_read` alone. */
  readonly session: RemoteSession | null;
};

/** How long a first answer may take (milliseconds): an agent does not wait for Plimsoll. */
const HELLO_MS = 3000;
/** What was recorded is there before grep or jq looks for it (milliseconds). */
const FLUSH_MS = 5000;
const REMOTE_TOOLS = ["artifact_grep", "artifact_jq"] as const;

/** Never rejects for a Plimsoll that is away. */
export async function connectKit(options: ConnectOptions): Promise<ConnectedKit> {
  const recorder = new Recorder(options);
  let session: RemoteSession | null = null;
  let readTools: readonly ArtifactTool[] = [];
  try {
    const hello = new Plimsoll({ ...options, timeoutMs: options.timeoutMs ?? HELLO_MS });
    const request = { ...options.session, id: recorder.sessionId };
    const { id } = await hello.createSession(request);
    const plimsoll = new Plimsoll(options);
    session = plimsoll.session(id);
    readTools = (await remoteTools(hello, session, REMOTE_TOOLS)).map((tool) =>
      afterFlush(tool as ArtifactTool, recorder),
    );
  } catch (error) {
    // The recorder tells of it too, and goes on trying.
    if (!isAppError(error)) throw error;
    options.onProblem?.(error.message);
  }
  const readElsewhere = async (artifact_id: string, start: object): Promise<string | null> => {
    const answer = await session?.readArtifact(artifact_id, start).catch(() => undefined);
    return answer?.text ?? null;
  };
  return { kit: new ArtifactKit({ ...options, recorder, readTools, readElsewhere }), recorder, session };
}

const afterFlush = (tool: ArtifactTool, recorder: Recorder): ArtifactTool => ({
  ...tool,
  async execute(input) {
    await recorder.flush(FLUSH_MS);
    return tool.execute(input);
  },
});
