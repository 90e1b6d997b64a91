import type { ConversationItem, Turn } from '../../domain/conversation/conversation'
import { visibleText } from '../../domain/visible-text'
import { agentTitle, callOf, factsOf, noteOf, shownTime, titleOf, type WrittenConversation } from './written'

/** A conversation as Markdown. What tools were asked and said stands in blocks that nothing in it can end. */
export function writeMarkdown(written: WrittenConversation): string {
  const { turns, isCut } = written
  const blocks = [
    `# ${escapeLine(titleOf(written))}`,
    factsOf(written)
      .map(([name, value]) => `- ${name}: ${escapeLine(value)}`)
      .join('\n'),
    ...turns.flatMap((turn) => turnBlocks(turn, '##')),
    ...(turns.length === 0 ? ['Nothing was said in this part.'] : []),
    ...(isCut ? ['*The rest is left out: the document would have been too large.*'] : []),
    '---',
    'Recorded by Lodeline. Secrets are masked where a form of them is known.',
  ]
  return `${blocks.join('\n\n')}\n`
}

export function turnBlocks(turn: Turn, level: string): string[] {
  const at = shownTime(turn.startedAt)
  const head = turn.number === 0 ? [] : [`${level} Turn ${turn.number}${at === null ? '' : ` (${at})`}`]
  return [...head, ...(turn.start === null ? [] : itemBlocks(turn.start)), ...turn.items.flatMap(itemBlocks)]
}

function itemBlocks(item: ConversationItem): string[] {
  const note = noteOf(item)
  if (note !== null) return item.kind === 'system' || item.kind === 'attachment' ? [] : [`*${escapeLine(note)}*`]
  const text = visibleText(item.text ?? '').trim()
  switch (item.kind) {
    case 'tool':
      return toolBlocks(item)
    case 'thinking':
      return []
    case 'prompt':
      return ['**Prompt**', quoted(text)]
    case 'summary':
      return ['**Summary of the compacted part**', quoted(text)]
    case 'notice':
      return ['**Notice of the CLI**', quoted(text)]
    case 'error':
      return ['**Error of the model’s API**', quoted(text)]
    default:
      return text === '' ? [] : [ownText(text)]
  }
}

function toolBlocks(item: ConversationItem): string[] {
  const { said, name, asked, state, answer } = callOf(item)
  return [
    ...(said === '' ? [] : [ownText(said)]),
    `**${escapeLine(name)}**${state === null ? '' : ` (${state})`}`,
    ...(asked.trim() === '' ? [] : [fenced(asked)]),
    ...(answer.trim() === '' ? [] : [fenced(answer)]),
    ...item.branches.flatMap(({ subagent, turns }) => {
      const inner = (turns ?? []).flatMap((turn) => turnBlocks(turn, '####'))
      const result =
        turns === null && subagent.resultPreview !== null ? [fenced(visibleText(subagent.resultPreview))] : []
      return [`> **${escapeLine(agentTitle(subagent))}**`, ...[...inner, ...result].map(quoted)]
    }),
  ]
}

/** The agent writes Markdown itself. HTML in it stays text, and pictures become links: a reader's program would load them. */
const ownText = (text: string): string =>
  closed(text)
    .split(/(^```[\s\S]*?^```[^\S\n]*$|`[^`\n]*`)/m)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/<(?=[A-Za-z/!?])/g, '\\<').replace(/!\[/g, '\\!\\[')))
    .join('')

/** A block of code that the agent left open ends with its text. */
const closed = (text: string): string => ((text.match(/^```/gm)?.length ?? 0) % 2 === 0 ? text : `${text}\n\`\`\``)

const quoted = (text: string): string =>
  ownText(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n+$/, '')}\n${fence}`
}

export const escapeLine = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&')
