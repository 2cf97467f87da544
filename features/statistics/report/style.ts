/** Style sheet and colours of a report. */

/** Colours by purpose. */
type Palette = Readonly<
  Record<"paper" | "panel" | "ink" | "muted" | "line" | "base" | "done" | "failed" | "span" | "focus", string>
>;

/** Light and dark colours: text has a contrast of 4.5 and marks of 3 with their background. */
const PALETTES: Readonly<Record<"light" | "dark", Palette>> = {
  light: {
    ...{ paper: "#ffffff", panel: "#f5f7f9", ink: "#141c26", muted: "#55626f", line: "#dde3e9", base: "#97a3ae" },
    ...{ done: "#2a7398", failed: "#c94b17", span: "#a9c9da", focus: "#1256c4" },
  },
  dark: {
    ...{ paper: "#10151b", panel: "#182029", ink: "#e8edf2", muted: "#a0adba", line: "#2b3640", base: "#66737f" },
    ...{ done: "#62b1d4", failed: "#f28f5b", span: "#2f5569", focus: "#8ab8ff" },
  },
};

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");

/** The style sheet. */
export const STYLE = `
:root{color-scheme:light dark;${variables(PALETTES.light)}}
@media (prefers-color-scheme:dark){:root{${variables(PALETTES.dark)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;-webkit-text-size-adjust:100%;text-size-adjust:100%}
header,main,footer{max-width:1024px;margin:0 auto;padding:0 32px}
header{padding-top:56px}
h1{margin:0;font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.02em;overflow-wrap:anywhere}
h2{margin:0 0 4px;font-size:1.25rem;line-height:1.3;font-weight:650;letter-spacing:-.01em}
p{margin:0}
.lead,.note,.made{color:var(--muted)}
.lead{margin-top:8px}
.note{font-size:.875rem;max-width:46rem}
section{margin-top:56px}
code,.name,.tool{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
.cards{display:grid;grid-template-columns:repeat(5,1fr);margin:32px 0 0;border:1px solid var(--line);border-radius:10px;overflow:hidden;background:var(--line);gap:1px}
.cards>div{background:var(--paper);padding:18px 18px 16px}
.cards dt{font-size:.8125rem;color:var(--muted)}
.cards dd{margin:0}
.cards .figure{margin-top:4px;font-size:1.75rem;line-height:1.2;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums;white-space:nowrap}
.cards .more{margin-top:4px;font-size:.8125rem;line-height:1.4;color:var(--muted)}
.keys{display:flex;flex-wrap:wrap;gap:4px 20px;margin:12px 0 0;padding:0;list-style:none;font-size:.8125rem;color:var(--muted)}
.keys li{display:flex;align-items:center;gap:8px}
.keys svg{width:12px;height:12px;flex:none}
.chart{margin:12px 0 0}
.chart svg{display:block;width:100%;height:auto}
.chart svg.narrow{display:none}
svg text{fill:var(--ink);stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
svg .name{font-size:12.5px}
svg .axis{font-size:12px;fill:var(--muted);font-variant-numeric:tabular-nums}
svg .grid{stroke:var(--line)}
svg .base{stroke:var(--base)}
svg .hit{fill:transparent}
svg g:hover .hit{fill:var(--panel)}
svg .done,svg .median{fill:var(--done)}
svg .failed{fill:var(--failed)}
svg .high{fill:var(--ink)}
svg .span{stroke:var(--span);stroke-width:4}
svg .median,svg .high{stroke:var(--paper);stroke-width:1.5}
details{margin-top:12px}
summary{width:fit-content;padding:4px 0;font-size:.875rem;color:var(--muted);cursor:pointer}
summary:hover{color:var(--ink)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;border-radius:2px}
.scroll{margin-top:12px;overflow-x:auto;background:linear-gradient(to left,var(--paper) 50%,transparent) right/48px 100% no-repeat local,linear-gradient(to left,var(--line),transparent) right/14px 100% no-repeat scroll}
table{width:100%;border-collapse:collapse;font-size:.875rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:7px 0 7px 20px;border-bottom:1px solid var(--line);text-align:right;vertical-align:baseline;white-space:nowrap;font-weight:400}
th:first-child{padding-left:0;text-align:left;position:sticky;left:0;background:var(--paper)}
thead th{color:var(--muted);font-size:.8125rem;border-bottom-color:var(--base)}
tbody th{white-space:normal;overflow-wrap:anywhere;min-width:9rem;max-width:24rem}
tbody th.tool{font-size:.8125rem}
.pack th,.pack td{padding-top:24px;font-weight:650;border-bottom-color:var(--base)}
.pack:first-child th,.pack:first-child td{padding-top:10px}
.bad{color:var(--failed)}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:20px 24px;margin:16px 0 0}
.facts dt{font-size:.8125rem;color:var(--muted)}
.facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.method{display:grid;grid-template-columns:10rem 1fr;gap:12px 32px;margin:16px 0 0;font-size:.9375rem}
.method dt{font-weight:650}
.method dd{margin:0;max-width:44rem;overflow-wrap:anywhere}
.empty{margin-top:32px;padding:40px 24px;border:1px dashed var(--base);border-radius:10px;text-align:center}
.empty p+p{margin-top:4px;color:var(--muted)}
footer{margin-top:64px;padding-top:20px;padding-bottom:56px}
.made{font-size:.8125rem}
@media (max-width:960px){
.cards{grid-template-columns:repeat(6,1fr)}
.cards>div{grid-column:span 2}
.cards>div:nth-child(-n+2){grid-column:span 3}
th,td{padding-left:14px}
}
@media (max-width:760px){
header,main,footer{padding-left:16px;padding-right:16px}
header{padding-top:32px}
h1{font-size:1.625rem}
section{margin-top:44px}
.cards{grid-template-columns:1fr 1fr;margin-top:24px}
.cards>div:nth-child(n){grid-column:span 1}
.cards>div:first-child{grid-column:span 2}
.cards>div{padding:14px 16px}
.chart svg.wide{display:none}
.chart svg.narrow{display:block}
tbody th{max-width:11rem}
.method{grid-template-columns:1fr;gap:2px}
.method dd{margin-bottom:14px}
}
@media print{
:root{${variables(PALETTES.light)}}
.chart,tr{break-inside:avoid}
}
`;
