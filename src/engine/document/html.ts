import type { ConversationBranch, ConversationItem, Turn } from '../../domain/conversation/conversation'
import { visibleText } from '../../domain/visible-text'
import { sha256 } from '../../util/crypto'
import { html, Markup } from './markup'
import {
  agentTitle,
  callOf,
  factsOf,
  noteOf,
  promptLine,
  shownTime,
  titleOf,
  type WrittenConversation,
} from './written'

/** Turns that a list of prompts at the beginning names. */
const LISTED_TURNS = 400

/** A conversation as one page of HTML: no script, no picture, nothing from elsewhere. */
export function writeHtml(written: WrittenConversation): string {
  const { turns, isCut } = written
  return page(
    titleOf(written),
    html`<h1>${titleOf(written)}</h1>
<dl>${factsOf(written).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${turns.length > 2 ? listOf(turns) : ''}
${turns.map((turn) => turnOf(turn))}
${turns.length === 0 ? html`<p class="note">Nothing was said in this part.</p>` : ''}
${isCut ? html`<p class="note">The rest is left out: the document would have been too large.</p>` : ''}`,
  )
}

/** A page of its own, which a browser holds to nothing but its own style. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${DOCUMENT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${Markup.ownText(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
<footer>Recorded by Lodeline. Secrets are masked where a form of them is known.</footer>
</body>
</html>
`.text
}

const listOf = (turns: readonly Turn[]): Markup =>
  html`<details class="list"><summary>Prompts</summary><ol>${turns
    .filter(({ start }) => start?.kind === 'prompt')
    .slice(0, LISTED_TURNS)
    .map(
      (turn) => html`<li value="${turn.number}"><a href="#turn-${turn.number}">${promptLine(turn)}</a></li>`,
    )}</ol></details>`

/** A turn to which no link of the page leads. */
export const turnMarkup = (turn: Turn): Markup => turnOf(turn, true)

/** @param id  of a turn of the main thread: links lead to it */
const turnOf = (turn: Turn, isBelow = false): Markup => html`<section ${isBelow ? '' : html`id="turn-${turn.number}"`}>
${turn.number === 0 ? '' : html`<h2>Turn ${turn.number} ${timeOf(turn.startedAt)}</h2>`}
${turn.start === null ? '' : itemOf(turn.start)}
${turn.items.map(itemOf)}
</section>
`

const timeOf = (at: string | null): Markup =>
  at === null ? html`` : html`<time datetime="${at}">${shownTime(at) ?? ''}</time>`

function itemOf(item: ConversationItem): Markup {
  const note = noteOf(item)
  if (note !== null) return html`<p class="note">${note}</p>`
  const text = visibleText(item.text ?? '')
  switch (item.kind) {
    case 'tool':
      return toolOf(item)
    case 'prompt':
      return html`<div class="prompt"><b>Prompt</b>${wordsOf(text)}</div>`
    case 'error':
      return html`<div class="error"><b>Error of the model’s API</b>${wordsOf(text)}</div>`
    case 'thinking':
      return foldOf('Thinking', text)
    case 'summary':
      return foldOf('Summary of the compacted part', text)
    case 'notice':
      return foldOf('Notice of the CLI', text)
    default:
      return html`<div class="agent">${wordsOf(text)}</div>`
  }
}

const foldOf = (name: string, text: string): Markup =>
  text.trim() === ''
    ? html`<p class="note">${name}</p>`
    : html`<details><summary>${name}</summary>${wordsOf(text)}</details>`

function toolOf(item: ConversationItem): Markup {
  const { said, name, about, asked, state, answer } = callOf(item)
  const mark = state === null ? '' : html` <em class="${state === 'failed' ? 'failed' : ''}">${state}</em>`
  return html`${said === '' ? '' : html`<div class="agent">${wordsOf(said)}</div>`}
<details class="call"><summary><b>${name}</b> <code>${about}</code>${mark}</summary>
${asked.trim() === '' ? '' : html`<pre>${asked}</pre>`}
${answer.trim() === '' ? '' : html`<pre class="answer">${answer}</pre>`}
</details>
${item.branches.map(branchOf)}`
}

const branchOf = ({
  subagent,
  turns,
  isCut,
}: ConversationBranch): Markup => html`<details class="branch"><summary>${agentTitle(subagent)}</summary>
${(turns ?? []).map((turn) => turnOf(turn, true))}
${turns === null && subagent.resultPreview !== null ? html`<pre class="answer">${visibleText(subagent.resultPreview)}</pre>` : ''}
${isCut ? html`<p class="note">There is more of this sub-agent.</p>` : ''}
</details>
`

/** Words as they were written; what stands between fences is code. */
function wordsOf(text: string): Markup {
  const parts = text.split(/^```[^\n]*\n([\s\S]*?)^```[^\S\n]*$/m)
  return html`${parts.map((part, at) =>
    at % 2 === 1
      ? html`<pre>${part.replace(/\n$/, '')}</pre>`
      : part.trim() === ''
        ? html``
        : html`<div class="words" dir="auto">${markedWords(part.replace(/^\n+|\n+$/g, ''))}</div>`,
  )}`
}

/** Code, strong words and headings as what they are; everything else as it was written. */
function markedWords(text: string): Markup {
  const parts: (string | Markup)[] = []
  let at = 0
  for (const { 0: whole, 1: code, 2: strong, 3: heading, index } of text.matchAll(
    /`([^`\n]+)`|\*\*([^*\n]+)\*\*|^#{1,6}[^\S\n]+([^\n]+)$/gm,
  )) {
    parts.push(text.slice(at, index))
    parts.push(code === undefined ? html`<b>${strong ?? heading ?? ''}</b>` : html`<code>${code}</code>`)
    at = index + whole.length
  }
  return html`${[...parts, text.slice(at)].map((part) => html`${part}`)}`
}

const STYLE = `:root{color-scheme:light dark;--ink:#1d1b18;--soft:#6b665e;--line:#e2ddd4;--back:#fdfcfa;--tint:#f4f1eb;--accent:#2f6fb0;--fail:#b3382c}
@media(prefers-color-scheme:dark){:root{--ink:#e9e6e0;--soft:#a29c92;--line:#37342f;--back:#191816;--tint:#22201d;--accent:#7db4ea;--fail:#f0897d}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);font:15px/1.55 system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:24px 16px}h1{font-size:22px;line-height:1.3;overflow-wrap:anywhere}
h2{font-size:13px;font-weight:600;color:var(--soft);margin:28px 0 8px}time{font-weight:400}
dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0 0 16px;color:var(--soft);font-size:13px}dl div{display:flex;gap:6px}dd{margin:0;color:var(--ink)}
a{color:var(--accent)}.words,pre{white-space:pre-wrap;overflow-wrap:anywhere}pre{margin:6px 0;padding:8px 10px;background:var(--tint);border:1px solid var(--line);border-radius:6px;font:12.5px/1.5 ui-monospace,monospace;max-height:70vh;overflow:auto}
.prompt,.error{border-left:3px solid var(--accent);background:var(--tint);padding:8px 12px;margin:8px 0}.prompt b,.error b{font-size:12px;color:var(--accent)}.error{border-color:var(--fail)}.error b,.failed{color:var(--fail)}
.agent{margin:8px 0}details{margin:4px 0}summary{cursor:pointer;color:var(--soft);font-size:13px;overflow-wrap:anywhere}summary b{color:var(--ink)}code{font:12.5px ui-monospace,monospace}
.branch,.list{border-left:2px solid var(--line);padding-left:12px;margin:6px 0 6px 8px}.note{color:var(--soft);font-size:13px;margin:6px 0}.answer{border-style:dashed}
footer{max-width:860px;margin:0 auto;padding:0 16px 24px;color:var(--soft);font-size:12px}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:24px}@media(max-width:800px){.sides{grid-template-columns:1fr}}
@media print{details{display:block}pre{max-height:none}}`

/** What a browser may do with a document: show it in its own style. */
export const DOCUMENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${Buffer.from(sha256(STYLE)).toString('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')
