// How a report looks. Its colours are those of the pages (report-html.test.ts compares them with app/tokens.css); the theme follows
// the system. Fonts are the system's: nothing is fetched.

/** Each light, then dark. */
export const REPORT_COLORS = {
  bg: ["#fcfcfb", "#101214"],
  "bg-sunk": ["#f5f5f3", "#171a1d"],
  line: ["#e6e6e2", "#24282c"],
  control: ["#85888c", "#6b737b"],
  ink: ["#17191c", "#eceef0"],
  "ink-2": ["#484d54", "#b6bcc3"],
  "ink-3": ["#646a71", "#8c949c"],
  accent: ["#2450c4", "#9ab5ff"],
  "load-line": ["#d21f2b", "#ff5b4d"],
  "c-prefix": ["#4b5875", "#5d7186"],
  "c-memory": ["#6d084d", "#bb78bc"],
  "c-unattr": ["#828282", "#adadad"],
  "c-result": ["#426fd5", "#5897fb"],
  "c-call": ["#2893c1", "#61c5f4"],
  "c-reasoning": ["#412696", "#8b58c9"],
  "c-assistant": ["#0f784f", "#94dfad"],
  "c-user": ["#c57700", "#ffc652"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const colors = (theme: 0 | 1): string =>
  Object.entries(REPORT_COLORS)
    .map(([name, both]) => `--${name}:${both[theme]}`)
    .join(";");

export const REPORT_STYLE = `:root{color-scheme:light dark;${colors(0)}}
@media (prefers-color-scheme:dark){:root{${colors(1)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:1008px;margin:0 auto;padding:32px 24px 48px}
@media (max-width:600px){main{padding:20px 16px 32px}}
h1{font-size:22px;line-height:1.3;margin:0 0 4px}
h2{font-size:15px;margin:32px 0 8px}
p{margin:0 0 6px}
.about,.note,figcaption{color:var(--ink-3);font-size:12px}
.verdict{margin:16px 0;font-size:15px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0;font-size:13px}
dt{color:var(--ink-2)}
dd{margin:0;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:left;vertical-align:baseline}
th{color:var(--ink-2);font-weight:500;white-space:nowrap}
td.words{min-width:160px}
.right{text-align:right;white-space:nowrap}
.parts{width:auto;min-width:300px}
figure{margin:0 0 16px}
figcaption{margin:0 0 4px}
figcaption b{color:var(--ink);font-weight:600}
pre{margin:0;padding:10px 12px;background:var(--bg-sunk);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;font:12px/1.5 ui-monospace,monospace}
.hidden{border:1px solid var(--control);border-radius:3px;padding:0 3px;font:10px ui-monospace,monospace;color:var(--ink-2)}
svg{display:block}
svg text{font:11px system-ui,sans-serif;fill:var(--ink-3);font-variant-numeric:tabular-nums}
svg .line-text{fill:var(--load-line)}
.grid{stroke:var(--line);fill:none}
.total{stroke:var(--ink);stroke-width:1.25;fill:none}
.compaction{stroke:var(--control);stroke-dasharray:1 2;fill:none}
.load-line{stroke:var(--load-line);fill:none}
.paper{fill:var(--bg)}
.pale{fill:var(--bg);opacity:.78}
.key{display:inline-block;width:10px;height:10px;margin-right:6px}
.key rect{width:10px;height:10px}
.prefix{fill:var(--c-prefix)}
.memory{fill:var(--c-memory)}
.unattributed{fill:var(--c-unattr)}
.area.unattributed,.key .unattributed{fill:url(#hatch)}
.result{fill:var(--c-result)}
.call{fill:var(--c-call)}
.reasoning{fill:var(--c-reasoning)}
.assistant{fill:var(--c-assistant)}
.user{fill:var(--c-user)}
@media print{.scroll{overflow:visible}}
`;
