import { KEPT, MOST_TODOS } from '../../domain/record/kept-text'
import type { Observation } from '../../domain/record/observation'
import { recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'
import { type Place, sourceOf } from './place'
import type { Call } from './tools'

/** The tool by which the agent kept its to-dos before it had a database (2025): each call gives the whole list, as Markdown. */
const TOOL = 'update_todo'

/** Characters of a list that are read. */
const LIST_LENGTH = 400_000

/** `- [ ] Read`, `* [x] Fix`, `1. [-] Test`: the sign of one that is under way differs by model. */
const ITEM = /^\s*(?:[-*+]|\d{1,4}[.)])\s+\[(.)\]\s+(\S.*)$/u

/** The list that a call gives. */
export function checklistOf(place: Place, { name, input, toolUseId }: Call): Observation[] {
  const list = name === TOOL ? textOf(recordOf(input)?.todos)?.slice(0, LIST_LENGTH) : undefined
  if (list === undefined || toolUseId === undefined) return []
  const items = list.split('\n').flatMap((line) => {
    const [, sign, words] = ITEM.exec(line.trimEnd()) ?? []
    return sign === undefined || words === undefined
      ? []
      : [{ content: clip(words, KEPT.todo), status: statusOf(sign) }]
  })
  const leftOut = Math.max(0, items.length - MOST_TODOS)
  const change = { op: 'snapshot' as const, items: items.slice(0, MOST_TODOS), ...(leftOut > 0 && { leftOut }) }
  return [{ kind: 'todo', ...sourceOf(place), toolUseId, change }]
}

function statusOf(sign: string): 'pending' | 'in_progress' | 'completed' {
  if (sign === ' ') return 'pending'
  return sign === 'x' || sign === 'X' || sign === '✓' || sign === '✔' ? 'completed' : 'in_progress'
}
