/// The stylesheet of all pages.
enum PageStyle {
  /// The CSS source, with colors for light and dark pages. Text has a contrast of at least 4.5:1 with its
  /// background (WCAG 2.2, 1.4.3).
  static let sheet: HTMLText = """
    :root{color-scheme:light dark;--page:#fff;--text:#1b2430;--quiet:#57616e;--rule:#d9dee5;--soft:#f4f6f9;--link:#0b57b0;
    --good:#1f62ad;--partial:#a9cbee;--loss:#b4480a;--refusal:#7a3d99;--failure:#9b1c3c;--detour:#8a6300;--neutral:#67717e;
    --on:#fff;--on-partial:#10253d;--warning:#fdf1e7;--band:#1f62ad33;
    --s1:#0072b2;--s2:#d55e00;--s3:#00855f;--s4:#b3568c;--s5:#a87400;--s6:#2a93c7}
    @media (prefers-color-scheme:dark){:root{--page:#11161d;--text:#e7ecf2;--quiet:#a3adb9;--rule:#323b47;--soft:#19212b;
    --link:#84b9f5;--good:#72adf0;--partial:#2f5582;--loss:#f0924a;--refusal:#c89be3;--failure:#f58ba3;--detour:#dcb450;
    --neutral:#98a3b0;--on:#0d1722;--on-partial:#e7ecf2;--warning:#33230f;--band:#72adf033;
    --s1:#4aa3df;--s2:#f0823a;--s3:#2fbf94;--s4:#d98bb8;--s5:#e0ac3c;--s6:#8fd0f0}}
    *{box-sizing:border-box}
    body{margin:0 auto;padding:24px 16px 64px;max-width:64rem;background:var(--page);color:var(--text);
    font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
    h1{font-size:1.75rem;line-height:1.2;margin:0}
    h2{font-size:1.35rem;line-height:1.3;margin:0 0 12px;padding-top:20px;border-top:2px solid var(--text)}
    h3{font-size:1.05rem;margin:32px 0 8px}
    h4{font-size:1rem;margin:20px 0 4px}
    section{margin-top:48px}
    main>section:first-child,main>details+section{margin-top:8px}
    main>section:first-child>h2,main>details+section>h2{border-top:0;padding-top:0;margin-bottom:0}
    p{margin:8px 0}
    a{color:var(--link)}a.people{color:inherit;text-decoration:underline dotted;text-underline-offset:2px}
    small{font-size:.85em;font-weight:400;color:var(--quiet)}
    .aside::before{content:"· "}
    .question,.note,.quiet{color:var(--quiet)}
    .question{font-size:.9rem}
    figcaption .quiet{font-weight:400}
    .note{font-size:.85rem;max-width:70ch}
    .statement{font-size:1.2rem;font-weight:600;line-height:1.4;max-width:60ch}
    .warning{background:var(--warning);border-left:4px solid var(--loss);padding:8px 16px}
    nav ul{list-style:none;margin:16px 0 0;padding:0;columns:17rem;column-gap:24px}
    nav li{padding:3px 0;break-inside:avoid}
    nav strong{white-space:nowrap}
    .days{list-style:none;padding:0}
    .figures{display:flex;flex-wrap:wrap;gap:12px 36px;margin:12px 0}
    .figures dt{color:var(--quiet);font-size:.85rem}
    .figures dd{margin:0;font-size:1.5rem;line-height:1.25;font-weight:600;font-variant-numeric:tabular-nums}
    .figures small{display:block;font-size:.85rem}
    figure{margin:20px 0 24px;break-inside:avoid}
    figcaption{font-weight:600;margin-bottom:10px}
    .key{font-weight:400;font-size:.85rem;color:var(--quiet);display:inline-flex;flex-wrap:wrap;gap:0 14px;margin-left:10px}
    .key i{display:inline-block;width:11px;height:11px;margin-right:5px}
    svg{display:block;overflow:visible;font-size:13px;font-variant-numeric:tabular-nums}
    .axis{margin-left:48px;width:calc(100% - 48px)}
    text{fill:var(--text)}
    .a{fill:var(--quiet);font-size:12px}
    .v{font-weight:600;stroke:var(--page);stroke-width:3px;paint-order:stroke}
    .wide{display:none}
    @media (min-width:720px){.wide{display:inline}.narrow{display:none}}
    .good{fill:var(--good);background:var(--good)}.partial{fill:var(--partial);background:var(--partial)}
    .loss{fill:var(--loss);background:var(--loss)}.refusal{fill:var(--refusal);background:var(--refusal)}
    .failure{fill:var(--failure);background:var(--failure)}.detour{fill:var(--detour);background:var(--detour)}
    .neutral,.otherSegments{fill:var(--neutral);background:var(--neutral)}
    .segment1{fill:var(--s1)}.segment2{fill:var(--s2)}.segment3{fill:var(--s3)}.segment4{fill:var(--s4)}.segment5{fill:var(--s5)}
    .segment6{fill:var(--s6)}.h{font-weight:600}
    .open{fill:var(--page);background:var(--page);stroke:var(--quiet);stroke-dasharray:3 3}
    .key .open{border:1px dashed var(--quiet)}
    .on-good,.on-loss,.on-refusal,.on-failure,.on-detour,.on-neutral{fill:var(--on);font-size:12px}
    .on-partial{fill:var(--on-partial);font-size:12px}.on-open{fill:var(--text);font-size:12px}
    .grid{stroke:var(--rule)}.base{stroke:var(--quiet)}
    .interval{stroke:var(--text);stroke-width:1.5}
    .curve,.dotted{fill:none;stroke:var(--good);stroke-width:2;vector-effect:non-scaling-stroke}
    .dotted{stroke-dasharray:2 4}
    .cut{fill:none;stroke:var(--quiet);vector-effect:non-scaling-stroke}.mark{stroke:var(--quiet);stroke-dasharray:4 3}
    .band{fill:var(--band)}
    .dot,.hollow{fill:var(--good);stroke:var(--page);stroke-width:1.5}
    .hollow{fill:var(--page);stroke:var(--good)}
    .of-segment1{stroke:var(--s1)}.of-segment2{stroke:var(--s2)}.of-segment3{stroke:var(--s3)}.of-segment4{stroke:var(--s4)}
    .of-segment5{stroke:var(--s5)}.of-segment6{stroke:var(--s6)}.of-otherSegments{stroke:var(--rule);stroke-width:1.5}
    .dot.of-segment1{fill:var(--s1)}.dot.of-segment2{fill:var(--s2)}.dot.of-segment3{fill:var(--s3)}.dot.of-segment4{fill:var(--s4)}
    .dot.of-segment5{fill:var(--s5)}.dot.of-segment6{fill:var(--s6)}.dot{stroke:var(--page)}
    .tabs ul{columns:auto;display:flex;flex-wrap:wrap;gap:2px 18px;margin-top:10px}
    .tabs [aria-current]{color:var(--text);font-weight:600;text-decoration:none}
    .headline{font-size:1.2rem;line-height:1.4;max-width:62ch;margin:4px 0 12px;overflow-wrap:break-word}
    .headline+h3{margin-top:16px}
    .views{margin:8px 0;font-size:.9rem}.views ul,.builder ol{margin:4px 0}.builder li{padding:2px 0}
    .save{margin:2px 0 0;text-align:right}
    .save button{font:inherit;font-size:.8rem;border:0;background:none;color:var(--quiet);cursor:pointer;text-decoration:underline}
    .chips{display:flex;flex-wrap:wrap;gap:5px;margin:12px 0}
    .chip{position:relative;max-width:100%}
    summary{cursor:pointer}
    .chip summary{list-style:none;border:1px solid var(--rule);border-radius:16px;padding:2px 8px;font-size:.85rem;background:var(--soft);
    max-width:9.2rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    .chip summary::-webkit-details-marker{display:none}
    .chip summary::after{content:" ▾";color:var(--quiet)}
    .chip b{font-weight:600}
    .chip.set summary,.chip[open] summary{border-color:var(--good)}
    .controls{display:grid;gap:10px;padding:12px 16px 16px;background:var(--soft)}
    .chip .controls{position:absolute;z-index:2;top:calc(100% + 4px);left:0;width:18rem;background:var(--page);border:1px solid var(--quiet);
    border-radius:6px;box-shadow:0 4px 16px #0003}
    .chip:last-of-type .controls{left:auto;right:0}
    .controls label{display:block;font-size:.85rem;color:var(--quiet)}
    .controls .check{display:flex;gap:6px;align-items:start}
    .controls input,.controls select,.controls button{font:inherit;font-size:.95rem;color:var(--text);background:var(--page);
    border:1px solid var(--quiet);border-radius:3px;padding:0 8px}
    .controls input:not([type=checkbox]),.controls select{display:block;width:100%;height:2.2rem;margin-top:2px}
    .controls ::placeholder{color:var(--quiet);opacity:1}
    .controls button{height:2.2rem;background:var(--good);border-color:var(--good);color:var(--on);font-weight:600;cursor:pointer}
    @media (max-width:999px){.chips,.tabs ul{flex-wrap:nowrap;overflow-x:auto;scrollbar-width:none}.chip,.tabs li{flex:none}
    .chips::after,.tabs ul::after{content:"";flex:none;align-self:stretch;width:48px;position:sticky;right:0;pointer-events:none;
    background:linear-gradient(to right,transparent,var(--page) 80%)}.chips::after{right:-16px}
    .chips{margin-inline:-16px;padding-inline:16px}.chip summary{max-width:80vw}
    .chip .controls,.chip:last-of-type .controls{position:fixed;inset:auto 0 0;width:auto;max-height:80vh;overflow:auto;border-radius:12px 12px 0 0;
    padding-bottom:24px}}
    .sources{margin-top:32px;border-top:1px solid var(--rule);padding-top:8px}
    .sources p{margin:4px 0;font-size:.85rem}
    code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.9em}
    th button{font:inherit;color:inherit;text-align:inherit;background:none;border:0;padding:0;cursor:pointer}
    th button:hover{text-decoration:underline}
    [aria-sort=ascending] button::after{content:" ↑"}[aria-sort=descending] button::after{content:" ↓"}
    .scroll{overflow-x:auto;margin:16px 0;background:linear-gradient(to left,var(--page) 24px,transparent) right/48px 100% no-repeat local,
    linear-gradient(to left,var(--rule),transparent) right/20px 100% no-repeat}
    .scroll:focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
    table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums;overflow-wrap:normal}
    caption{text-align:left;color:var(--quiet);padding-bottom:4px}
    th,td{padding:3px 14px 3px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
    thead th{white-space:normal;font-weight:600;color:var(--quiet);border-bottom-color:var(--quiet);vertical-align:bottom}
    tbody th{font-weight:400;text-align:left}
    tr>th:first-child{position:sticky;left:0;background:var(--page)}
    @media (max-width:719px){tbody th{white-space:normal;min-width:7rem}tbody th small{display:block}}
    .t{text-align:left}
    td svg{display:inline-block;vertical-align:middle;margin-right:8px}
    .worst{color:var(--loss);font-weight:600}
    .detail{color:var(--quiet)}
    @page{margin:10mm}
    @media print{.save,.views{display:none}body{max-width:none;font-size:11px;padding:0}section{margin-top:24px}
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}.scroll{overflow:visible;background:none}
    table,.note,.key{font-size:9px}table{max-width:100%}th,td{white-space:normal;padding-right:8px}tbody th,.t{overflow-wrap:anywhere}
    tr>th:first-child{position:static}tr,li{break-inside:avoid}thead{display:table-header-group}
    h1,h2,h3,h4,figcaption,caption{break-after:avoid}p{orphans:3;widows:3}.chips,.tabs{display:none}}

    """
}
