import { type IssueId, issueId } from '../ids'
import { ISSUE_LIMITS } from './issue'

/** The id that this one is a child of by its name: `x-1.2` belongs to `x-1`; `null` = it is a root. */
export function parentIdOf(id: string): IssueId | null {
  const parent = /^(.+)\.\d+$/s.exec(id)?.[1]
  return parent === undefined ? null : issueId(parent)
}

/** Levels below its root: 0 for `x-1`, 2 for `x-1.4.1`. */
export function depthOf(id: string): number {
  let depth = 0
  for (let parent = parentIdOf(id); parent !== null; parent = parentIdOf(parent)) depth++
  return depth
}

/** Whether an issue may have children: at most `ISSUE_LIMITS.depth` levels below a root. */
export function mayHaveChildren(id: string): boolean {
  return depthOf(id) < ISSUE_LIMITS.depth
}

/**
 * The next free child id: one above the highest child that was ever there.
 *
 * @param ids  all ids, or at least those that begin with `<parent>.`; deleted ones included
 * @returns `null` when the parent is as deep as issues go.
 */
export function nextChildId(parent: IssueId, ids: Iterable<string>): IssueId | null {
  if (!mayHaveChildren(parent)) return null
  let highest = 0
  const start = `${parent}.`
  for (const id of ids) {
    if (!id.startsWith(start)) continue
    const number = /^\d{1,9}(?=\.|$)/.exec(id.slice(start.length))?.[0]
    if (number !== undefined) highest = Math.max(highest, Number(number))
  }
  return issueId(`${start}${highest + 1}`)
}

/** An id as this program takes it: letters, digits, `-`, `_` and `.`, at most 200 characters, nothing that could leave a folder. */
export function isIssueId(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(text) && !text.includes('..')
}

/**
 * Which of `ids` a person means by `text`: the id itself, else those whose part after the prefix is it, else those whose id or
 * hash begins with it. More than one = it is ambiguous.
 */
export function matchIssueIds(text: string, ids: Iterable<IssueId>): IssueId[] {
  const all = [...ids]
  if (all.some((id) => id === text)) return [issueId(text)]
  const hash = (id: string) => id.slice(id.lastIndexOf('-') + 1)
  const exact = all.filter((id) => hash(id) === text)
  return exact.length > 0 ? exact : all.filter((id) => id.startsWith(text) || hash(id).startsWith(text))
}
