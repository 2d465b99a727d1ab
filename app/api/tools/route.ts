import { route } from "#lib/http/route.ts";
import { describeTools } from "#lib/tools/run-tool.ts";

export const GET = route({ run: async () => ({ tools: describeTools() }) });
