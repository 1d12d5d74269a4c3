"""The style of the page: light, dark, narrow and printed, without anything from the network."""

from __future__ import annotations

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root{--bg:#fff;--ink:#1d2430;--soft:#5a6472;--line:#d9dee5;--card:#f6f8fa;--link:#0b5cad;--good:#1a6b3c;
--part:#8a5a00;--bad:#a32018;--c0:#0072B2;--c1:#D55E00;--c2:#009E73;--c3:#B07A00;--c4:#7A4FA3;--c5:#2F9BD0;--c6:#555}
@media(prefers-color-scheme:dark){:root{--bg:#12161c;--ink:#e6eaf0;--soft:#a3adba;--line:#2f3844;--card:#1a2029;
--link:#7cb7f2;--good:#6fd19a;--part:#f0b95c;--bad:#ff8f85;--c0:#56B4E9;--c1:#ff8a4c;--c2:#35c99a;--c3:#f0c040;
--c4:#c39be6;--c5:#9ad6f5;--c6:#b5bcc6}}
*{box-sizing:border-box}html{scroll-padding-top:3.4rem}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,"Segoe UI",Roboto,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem 1.1rem 4rem}a{color:var(--link)}
nav{position:sticky;top:0;background:var(--bg);border-bottom:1px solid var(--line);z-index:2;overflow-x:auto;
white-space:nowrap;padding:.6rem 1.1rem}nav a{margin-right:1.1rem;text-decoration:none}
h1{font-size:1.9rem;line-height:1.2;margin:1.2rem 0 .3rem}h2{margin:3rem 0 .2rem;font-size:1.45rem}
h3{margin:0;font-size:1.08rem}h5{margin:0 0 .3rem;font-size:.95rem}.soft{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.7rem;margin:1rem 0}
.cards div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.cards b{display:block;font-size:1.6rem;line-height:1.2}
article{border:1px solid var(--line);border-radius:.6rem;margin:1.1rem 0;padding:1rem 1.1rem}
.head{display:flex;gap:.8rem;justify-content:space-between;align-items:flex-start}
.verdict{border:1.5px solid;border-radius:1rem;padding:.05rem .7rem;font-size:.85rem;font-weight:600;
white-space:nowrap}
.reproduced{color:var(--good)}.partly{color:var(--part)}.not{color:var(--bad)}
.measured,.unmeasured{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;margin:.7rem 0;font-size:.95rem}
dt{color:var(--soft)}dd{margin:0}
table{border-collapse:collapse;font-size:.88rem;width:100%}th,td{padding:.28rem .55rem;text-align:left;
border-bottom:1px solid var(--line);vertical-align:top}thead th{color:var(--soft);font-weight:600}
.scroll{overflow-x:auto}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.yes{color:var(--good);white-space:nowrap}td.no{color:var(--bad);font-weight:600;white-space:nowrap}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--link)}
figure{margin:1rem 0 .4rem}figcaption{color:var(--soft);font-size:.85rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem .9rem;padding:0;margin:.1rem 0 .3rem;
font-size:.85rem}
.swatch{width:26px;height:14px;vertical-align:-2px;margin-right:.3rem}
svg.chart{width:100%;height:auto;display:block}
.m{stroke:var(--bg);stroke-width:.7}.l{fill:none;stroke-width:2}
.edge{stroke:var(--soft);stroke-opacity:.45;fill:none}
.cover{fill:var(--c6);fill-opacity:.08;stroke:var(--soft);stroke-width:.8}.grid{stroke:var(--line)}
.axis{stroke:var(--soft)}
.diagonal{stroke:var(--soft);stroke-dasharray:3 4}.tick{font-size:12px;fill:var(--soft)}
.name{font-size:13px;fill:var(--ink)}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}
.c5{fill:var(--c5)}.c6{fill:var(--c6)}
.l.c0{stroke:var(--c0);fill:none}.l.c1{stroke:var(--c1);fill:none}.l.c2{stroke:var(--c2);fill:none}
.l.c3{stroke:var(--c3);fill:none}.l.c4{stroke:var(--c4);fill:none}.l.c5{stroke:var(--c5);fill:none}
.l.c6{stroke:var(--c6);fill:none}
.heat{width:auto}.heat td{text-align:right;font-variant-numeric:tabular-nums;
background:color-mix(in srgb,var(--c0) calc(var(--heat,0)*55%),transparent)}
.heat td.none{color:var(--soft);background:none}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.86em;background:var(--card);
padding:.05rem .3rem;
border-radius:.25rem;overflow-wrap:anywhere}footer{color:var(--soft);font-size:.85rem;margin-top:.6rem}
#hint{position:fixed;display:none;background:var(--ink);color:var(--bg);font-size:.82rem;padding:.2rem .5rem;
border-radius:.3rem;pointer-events:none;max-width:20rem;z-index:3}
@media(max-width:40rem){dl{grid-template-columns:1fr;gap:0}dt{margin-top:.35rem}
main{padding:.6rem .8rem 3rem}
article{padding:.8rem}h1{font-size:1.5rem}}
@media print{:root{--bg:#fff;--ink:#000;--soft:#444;--line:#bbb;--card:#fff}nav,#hint{display:none}
article,figure{break-inside:avoid}main{max-width:none}body{font-size:10.5pt}details>*{display:block}
a{color:inherit}}
"""

SCRIPT = """
(function(){var h=document.getElementById('hint');
document.querySelectorAll('svg title').forEach(function(t){t.parentNode.setAttribute('data-t',
t.textContent)});
document.addEventListener('pointerover',function(e){var m=e.target.closest&&e.target.closest('[data-t]');
if(!m){h.style.display='none';return}h.textContent=m.getAttribute('data-t');h.style.display='block';
var w=h.offsetWidth;h.style.left=Math.max(4,Math.min(e.clientX+12,innerWidth-w-8))+'px';
h.style.top=(e.clientY>60?e.clientY-38:e.clientY+16)+'px'});
addEventListener('beforeprint',function(){document.querySelectorAll('details').forEach(function(d){d.open=true})});})();
"""
