// Makes the demo beside the server's own thread, which it would hold up for most of a second.
import { parentPort } from "node:worker_threads";
import { makeDemo } from "./make.ts";

parentPort!.postMessage(await makeDemo());
