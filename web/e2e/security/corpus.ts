/** Calls that a script makes if it runs; `canary` tells whether one did. */
const call = "window.__ran=(window.__ran||0)+1";

/** Runs before the page: a script that should not run is noticed even if it does nothing else. */
export const canary = `
  for (const name of ["alert", "prompt", "confirm", "print"]) window[name] = () => { window.__ran = (window.__ran || 0) + 1; };
`;

/** Texts that become a script, a request or a form where text is not kept text. */
export const hostile: string[] = [
  `<script>${call}</script>`,
  `<img src=x onerror="${call}">`,
  `<img src="https://elsewhere.example/pixel.png">`,
  `<svg onload="${call}"><script>${call}</script></svg>`,
  `<svg><animate onbegin="${call}" attributeName=x dur=1s></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${call}&gt;">`,
  `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
  `<iframe src="javascript:parent.${call}"></iframe>`,
  `<object data="javascript:${call}"></object><embed src="javascript:${call}">`,
  `<form action="https://elsewhere.example/"><input name=token><button>Sign in again</button></form>`,
  `<style>@import url("https://elsewhere.example/x.css");body{display:none}</style>`,
  `<link rel=stylesheet href="https://elsewhere.example/x.css"><base href="https://elsewhere.example/">`,
  `<meta http-equiv=refresh content="0;url=https://elsewhere.example/">`,
  `<a href="javascript:${call}">a</a><a href="data:text/html,<script>${call}</script>">b</a><a href="vbscript:x">c</a>`,
  `[link](javascript:${call}) [link](<java\nscript:${call}>) [link](JaVaScRiPt&colon;${call})`,
  `![picture](https://elsewhere.example/pixel.png) ![p](javascript:${call})`,
  `[x]: javascript:${call}\n\n[x]`,
  `"><script>${call}</script>`,
  `'-${call}-'`,
  "`<img src=x onerror=" + call + ">`",
  "```html\n<script>" + call + "</script>\n```",
  '```"><img src=x onerror=' + call + ">\ncode\n```",
  `<div id="app" name="body">clobber</div><form id=location name=cookie><input name=getElementById></form>`,
  `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  `<template><script>${call}</script></template><details open ontoggle="${call}">`,
  `<input autofocus onfocus="${call}"><video><source onerror="${call}"></video><body onload="${call}">`,
  `{{constructor.constructor('${call}')()}} \${${call}} <%= ${call} %>`,
  `\u202Egnp.exe <b\u0000r onclick=${call}> \uFEFF\u2028\u2029`,
  `<scr\u0000ipt>${call}</scr\u0000ipt><ScRiPt/x>${call}</ScRiPt>`,
  `\u001b]8;;javascript:${call}\u0007click\u001b]8;;\u0007 \u001b[31m<b onclick=${call}>red\u001b[0m`,
  // Formulas that link, load, name or leave their place.
  `$\\href{javascript:${call}}{x}$ $\\url{javascript:${call}}$ $\\includegraphics{https://elsewhere.example/pixel.png}$`,
  `$$\\html{<img src=x onerror=${call}>} \\class{x}{y} \\style{position:fixed;inset:0}{z} \\label{app} \\text{<img src=x onerror=${call}>}$$`,
  `$$\\def\\a{\\a\\a}\\a$$`,
  `$$\\rule{9999em}{9999em} \\kern-9999em \\raisebox{999em}{x}$$`,
  // Diagrams with scripts, links, styles and settings of their own.
  '```mermaid\nflowchart LR\n  A["<img src=x onerror=' +
    call +
    '>"] --> B[<script>' +
    call +
    '</script>]\n  click A "javascript:' +
    call +
    '"\n  click B call alert()\n```',
  '```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(https://elsewhere.example/x.css); * { background: url(https://elsewhere.example/pixel.png) }"}}%%\nflowchart LR\n  A["<iframe src=\'https://elsewhere.example/\'></iframe>"] --> B\n  style B fill:url(https://elsewhere.example/x.svg#a)\n```',
  "```mermaid\nsequenceDiagram\n  Alice->>Bob: <svg onload=" +
    call +
    ">\n  link Alice: x @ javascript:" +
    call +
    "\n```",
  '```mermaid\n"><script>' + call + "</script>\n```",
  // Code that pretends to be colours, and a difference that pretends to be elements.
  '```html\n<span class="hljs-keyword" onclick=' + call + "><img src=x onerror=" + call + "></span>\n```",
  "```diff\n--- a/<img src=x onerror=" +
    call +
    ">\n+++ b/x\n@@ -1 +1 @@ <img src=x onerror=" +
    call +
    ">\n-<script>" +
    call +
    "</script>\n+\u202e<img src=x onerror=" +
    call +
    ">\n```",
];

/** The same for places that hold one line. */
export const lines = hostile.map((h) => h.replace(/[\n\u0000\u2028\u2029\u001b\u0007]/g, " "));
