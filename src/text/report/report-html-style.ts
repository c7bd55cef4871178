import { stateColors } from '../graph/graph-svg.ts';

/** Except for the states it shares no class with GRAPH_STYLE, which holds for the whole page. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#1f2328;--dim:#59636e;--rule:#d1d9e0;--panel:#f6f8fa;--heed:#9a6700}
${stateColors('light')}
@media (prefers-color-scheme:dark){
:root{--page:#0d1117;--ink:#e6edf3;--dim:#9198a1;--rule:#30363d;--panel:#161b22;--heed:#e3b341}
${stateColors('dark')}
}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:1120px;margin:0 auto;padding:24px 20px 40px}
h1{margin:0;font-size:1.75em;line-height:1.2}
h2{margin:32px 0 8px;font-size:1.15em}
p{margin:4px 0}
ul{margin:0;padding-left:20px}
li{margin:4px 0}
code{padding:1px 5px;border-radius:4px;background:var(--panel);border:1px solid var(--rule);font:.87em ui-monospace,monospace;white-space:nowrap;user-select:all}
.dim,footer,figcaption,dt{color:var(--dim)}
.needs{margin-top:20px;padding:10px 16px;border:1px solid var(--rule);border-left:4px solid var(--heed);border-radius:6px}
.needs h2{margin:0 0 4px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(120px,1fr));gap:10px;margin:20px 0 0}
.tiles div{padding:8px 12px;background:var(--panel);border:1px solid var(--rule);border-radius:6px}
dt{font-size:.87em}
dd{margin:0;font-size:1.2em;font-weight:600;font-variant-numeric:tabular-nums}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;border-bottom:1px solid var(--rule);text-align:left;vertical-align:baseline}
thead th{color:var(--dim);font-size:.87em;font-weight:400;white-space:nowrap}
td{white-space:nowrap}
tbody th{font-weight:400;width:100%}
tr>:first-child,tr>:nth-child(n+4):nth-child(-n+8){text-align:right}
td:first-child{color:var(--dim)}
td:nth-child(3){color:var(--state);font-weight:600}
td:last-child{font-family:ui-monospace,monospace;font-size:.87em}
figure{margin:0}
.scroll{max-height:80vh;overflow:auto;border:1px solid var(--rule);border-radius:6px}
.scroll>svg{display:block}
figcaption,footer{margin-top:6px;font-size:.87em}
footer{margin-top:32px}
@media screen and (max-width:860px){
main{padding:16px 12px 32px}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table,tbody{display:block}
tr{display:flex;flex-wrap:wrap;gap:0 14px;padding:8px 0;border-bottom:1px solid var(--rule)}
tbody th,td{width:auto;padding:0;border:0}
td[data-about]{font-size:.87em}
tbody th{flex:1 0 80%}
td:first-child::before{content:"#"}
td:nth-child(3){flex-basis:100%}
td[data-about]::before{content:attr(data-about) " ";color:var(--dim);font-family:system-ui,sans-serif}
}
@media print{
body{font-size:12px}
main{max-width:none;padding:0}
tr,li,.tiles div{break-inside:avoid}
.scroll{max-height:none;overflow:visible;border:0}
.scroll>svg{max-width:100%;height:auto}
}
`;
