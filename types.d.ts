declare module "*.css";
// The scripts run before anything is installed, on any Node from 20: plain JavaScript without types.
declare module "*.mjs";
