import type { FullIssue } from '../../domain/issue/issue'
import { quote } from '../../util/quote'

/** Characters of each text of the issue: the agent can read the rest with `lode issue show`. */
const SECTION = 20_000

/** Task priorities of issue priorities 0 (highest) to 4; an ordinary issue is an ordinary task. */
const PRIORITIES = [90, 70, 50, 30, 10] as const

export const taskPriority = (priority: number): number => PRIORITIES[priority] ?? 50

/**
 * The task that an issue becomes. What the tracker says is quoted as what it is, since anybody may have written it; what is asked of
 * the agent stands outside.
 */
export function dispatchText(issue: FullIssue): string {
  const about = [
    section('Title', issue.title),
    section('Description', issue.description),
    section('Design', issue.design),
    section('Acceptance criteria', issue.acceptanceCriteria),
    section('Notes', issue.notes),
  ]
  return [
    `Work on issue ${issue.id} of this project's tracker (${/^[\w-]{1,40}$/.test(issue.issueType) ? issue.issueType : 'issue'}, priority ${issue.priority}).`,
    `Claim it first: \`lode issue claim ${issue.id}\`. When the work is done and checked, close it: \`lode issue close ${issue.id} -r 'what was done'\`. If it can't be done, say why in a comment (\`lode comment add ${issue.id} 'why'\`) and release it: \`lode issue claim ${issue.id} --release\`. \`lode issue show ${issue.id}\` shows its comments and dependents.`,
    'The entry in the tracker, quoted:',
    ...about.filter((text) => text !== ''),
  ].join('\n\n')
}

function section(name: string, text: string): string {
  if (text.trim() === '') return ''
  const { text: quoted, left } = quote(text, SECTION)
  return `${name}:\n${quoted}${left > 0 ? `\n(${left} more characters: \`lode issue show\`)` : ''}`
}
