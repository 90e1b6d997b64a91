/** Sets this in the page that runs it, and says so out loud: no page of ours ever has it. */
export const MARK = 'hostileRan'
const RUN = `globalThis.${MARK}=(globalThis.${MARK}||0)+1;alert('${MARK}')`
const ENTITY_RUN = RUN.replaceAll("'", '&#39;')

/** What a page does with text that it should not believe, by what it tries. Each begins with its own name, by which it is found. */
export const HOSTILE_TEXTS = {
  script: `script <script>${RUN}</script> after`,
  closing: `closing </textarea></title></style></script><script>${RUN}</script>`,
  image: `image <img src=x onerror="${ENTITY_RUN}"> after`,
  svg: `svg <svg onload="${ENTITY_RUN}"><animate onbegin="${ENTITY_RUN}" attributeName=x dur=1s></svg>`,
  details: `details <details open ontoggle="${ENTITY_RUN}"><summary>x</summary></details><iframe srcdoc="<script>${ENTITY_RUN}</script>"></iframe>`,
  style: 'style <style>*{display:none}</style><link rel=stylesheet href=//far.example/x.css><base href=//far.example/>',
  pixel:
    'pixel <img src="http://far.example/pixel.png"> ![far](http://far.example/markdown.png) <video src=//far.example/v>',
  link: `link [click](javascript:${encodeURIComponent(RUN)}) <javascript:${encodeURIComponent(RUN)}> [data](data:text/html,<script>${encodeURIComponent(RUN)}</script>)`,
  spaced: `spaced [click](java\u0000script:${RUN}) [click](\u0001javascript:${RUN}) [click](JaVaScRiPt:${RUN}) [vb](vbscript:${RUN})`,
  disguised:
    'disguised [https://bank.example](http://far.example/steal) [a](file:///etc/passwd) [b](\\\\far.example\\share)',
  form: 'form <form action=//far.example/><input name=p autofocus onfocus=alert(1)><button>Approve</button></form>',
  template: `template {{constructor.constructor("${RUN}")()}} \${${RUN}} <%= ${RUN} %> #{7*7}`,
  prototype: 'prototype {"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}',
  ansi: 'ansi \u001b[31mred\u001b[0m \u001b[2J\u001b[H\u001b]0;title\u0007 \u001b]8;;http://far.example\u0007link\u001b]8;;\u0007 \u009b31m',
  rtl: 'rtl \u202egnp.exe\u202c and \u2066isolated\u2069 \u200eleft\u200f right',
  hidden: 'hidden ze\u200bro\u200cwid\u200dth\ufeff so\u00adft \u{e0041}\u{e0042}tags',
  control: 'control \u0001\u0002\u0007\b\u000b\u000c\u001f\u007f\u0085\u2028\u2029 end',
  emoji: 'emoji 👩‍👩‍👧‍👦 🏳️‍🌈 é ﷽ 𒐫 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘',
  word: `word ${'w'.repeat(1_048_576)}`,
  lines: `lines ${'\n'.repeat(5_000)} the last`,
  fence: `fence \`\`\`html\n<script>${RUN}</script>\n\`\`\`\n${'#'.repeat(200)} heading ${'> '.repeat(500)}deep ${'['.repeat(2_000)}`,
  table: `table |${'a|'.repeat(300)}\n|${'-|'.repeat(300)}\n|${'<b>x</b>|'.repeat(300)}`,
} as const satisfies Record<string, string>
export type HostileName = keyof typeof HOSTILE_TEXTS
export const HOSTILE_NAMES = Object.keys(HOSTILE_TEXTS) as HostileName[]

/** Bytes of a line that no text holds: broken UTF-8, and NUL as it is. `{}` of the line is where they go. */
export const BROKEN_BYTES: Record<string, Uint8Array> = {
  overlong: Uint8Array.of(0xc0, 0xaf, 0xe0, 0x80, 0xaf),
  cut: Uint8Array.of(0xf0, 0x9f, 0x98),
  surrogate: Uint8Array.of(0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80),
  invalid: Uint8Array.of(0xff, 0xfe, 0x80, 0xbf),
  nul: Uint8Array.of(0x00),
}
