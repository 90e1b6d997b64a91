import type { Cost } from '../cost/price'
import type { AgentName, SessionId, TaskId } from '../ids'
import { plainWords } from '../plain-words'

/** Something that ended in the time of a digest. */
export interface DigestItem {
  title: string
  /** What came of it: the first sentence of its answer, or why it failed. */
  text: string | null
  taskId: TaskId | null
  sessionId: SessionId | null
  /** The agent CLI that did it; `null` = none began it. */
  agentCli: AgentName | null
  /** ISO 8601. */
  at: string
}

/** What went on in one repository. */
export interface DigestProject {
  /** Its name; `null` = of no project. */
  name: string | null
  done: DigestItem[]
  failed: DigestItem[]
  /** Items that are not listed. */
  more: number
  /** What waits for a person there now. */
  needs: number
  /** Calls that changed a file. */
  edits: number
  cost: Cost
  /** What as much time cost there on the average of the four times before, in US dollars; `null` = nothing is known of them. */
  usualUsd: number | null
}

/** What went on since a time, by repository, the dearest first. */
export interface Digest {
  since: string
  until: string
  projects: DigestProject[]
  total: Cost & { done: number; failed: number; needs: number; edits: number; usualUsd: number | null }
}

/** The first sentence of a text of an agent, without its Markdown; `null` = it has none. */
export function firstSentence(text: string | null): string | null {
  if (text === null) return null
  const [sentence = ''] = /^.{1,200}?[.!?](?=\s|$)|^.{1,200}/.exec(plainWords(text)) ?? []
  return sentence === '' ? null : sentence
}

/**
 * The digest as Markdown, for a stand-up. Where several agent CLIs were at work, each item names its CLI. @param words  how to word times
 * and sums
 */
export function digestMarkdown(
  { since, until, projects, total }: Digest,
  words: { time(iso: string): string; money(usd: number | null, isEstimate: boolean): string },
): string {
  const money = (cost: Cost, usual: number | null): string =>
    `${words.money(cost.costUsd, cost.isEstimate)}${usual === null ? '' : ` (usually ${words.money(usual, false)})`}`
  const items = projects.flatMap(({ done, failed }) => [...done, ...failed])
  const hasSeveral = new Set(items.flatMap(({ agentCli }) => agentCli ?? [])).size > 1
  const item = ({ title, text, agentCli }: DigestItem): string =>
    `- ${inline(title)}${hasSeveral && agentCli !== null ? ` (${agentCli})` : ''}${text === null || text === title ? '' : `: ${inline(text)}`}`
  const facts = (needs: number, edits: number, cost: string): string =>
    [
      ...(needs > 0 ? [`${needs} ${needs === 1 ? 'needs' : 'need'} you`] : []),
      ...(edits > 0 ? [`${edits} file ${edits === 1 ? 'change' : 'changes'}`] : []),
      cost,
    ].join(', ')
  const parts = projects.map((project) => {
    const { name, done, failed, more, needs, edits, cost, usualUsd } = project
    return [
      `## ${inline(name ?? 'No project')}`,
      '',
      `${facts(needs, edits, money(cost, usualUsd))}.`,
      ...(done.length === 0 ? [] : ['', 'Done:', '', ...done.map(item)]),
      ...(failed.length === 0 ? [] : ['', 'Failed:', '', ...failed.map(item)]),
      ...(more === 0 ? [] : ['', `And ${more} more.`]),
    ].join('\n')
  })
  const head = `# Since ${words.time(since)}\n\n${total.done} done, ${total.failed} failed, ${facts(total.needs, total.edits, money(total, total.usualUsd))}, until ${words.time(until)}.`
  return `${[head, ...parts].join('\n\n')}\n`
}

/** Words of agents as plain text within Markdown: they make no link, no heading and no markup. */
const inline = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\\`*_{}[\]<>#|~]/g, '\\$&')
    .trim()
