import type { Handoff, RecalledIssue, SessionFacts } from '../../domain/recall/recall'
import { inline, quote } from '../../util/quote'
import { lines, type Section } from './compose'
import { minute, quoted, shownId } from './sections'

/** What a person asked for, in their own words: the goal of a session that has no task and no issue. */
export function firstPrompt({ prompts }: SessionFacts): Section {
  const { first } = prompts
  // Where few were made, the last ones show it.
  const isShown = first === null || prompts.areAll
  return quoted('first prompt', 'The goal, from the first prompt:', isShown ? null : first.text, 900)
}

/** The last prompts, newest last; where there is little room the newest is kept longest. */
export function lastPrompts({ prompts }: SessionFacts, isGoal: boolean): Section {
  const { last, areAll } = prompts
  const heading = isGoal && areAll ? 'The goal, from the prompts:' : 'Asked last:'
  return {
    name: 'last prompts',
    floor: 900,
    write(room) {
      let free = room - heading.length
      const shown: string[] = []
      let left = 0
      for (const [at, prompt] of last.toReversed().entries()) {
        if (prompt.text.trim() === '') continue
        // The newest may take half of what is there, so that the ones before it are heard as well.
        const share = at === last.length - 1 ? free : Math.max(Math.floor(free / 2), 120)
        const fenced = quote(prompt.text, Math.min(share, free) - 1)
        if (fenced.left > 0 && Math.min(share, free) < 60) left += prompt.text.length
        else {
          shown.unshift(fenced.text)
          free -= fenced.text.length + 1
          left += fenced.left
        }
      }
      if (shown.length === 0) return { text: '', left: left === 0 ? null : `all ${left} characters` }
      return { text: [heading, ...shown].join('\n'), left: left === 0 ? null : `${left} more characters` }
    },
  }
}

export function handover(handoff: Handoff | null): Section {
  if (handoff === null) return { name: 'hand-over', floor: 0, write: () => ({ text: '', left: null }) }
  const { at, sessionId, issueId, goal, state, evidence, next, note } = handoff
  const from = sessionId === null ? 'a person' : `session ${sessionId}`
  const about = issueId === null ? '' : ` on ${issueId}`
  const parts = [
    ['Goal', goal],
    ['Next step', next],
    ['State', state],
    ['Evidence', evidence],
    ['In its own words', note],
  ].filter(([, text]) => text !== '')
  return quoted(
    'hand-over',
    `Hand-over${about} by ${from}, ${minute(at)} (given once):`,
    parts.map(([name, text]) => `${name}: ${text}`).join('\n'),
    900,
  )
}

export function readyWork({ issues, total }: { issues: readonly RecalledIssue[]; total: number }): Section {
  const line = (issue: RecalledIssue) =>
    `- ${shownId(issue.id)} P${issue.priority} ${shownId(issue.type)}: ${inline(issue.title, 120)}`
  return {
    name: 'ready work',
    floor: 250,
    write: lines(`Ready to start, ${issues.length} of ${total}:`, issues.map(line)),
  }
}
