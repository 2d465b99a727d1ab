// Runs in the browser before anything else. zod tries `new Function` once, to see whether it may compile its
// schemas; our policy forbids that and would report it, on every page.
import { config } from "zod";

config({ jitless: true });
