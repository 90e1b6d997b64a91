import { diffArrays } from 'diff'
import type { PatchHunk } from '../../../domain/conversation/line-content'

/** Lines shown around a change. */
const CONTEXT = 3
/**
 * Bound on the search, in steps of its loop: 0.6 s of CPU time at worst, for texts that are made to be hard. Beyond it a change is
 * shown as all of one side and all of the other.
 */
const MAX_STEPS = 2_000_000

/** What changed from one text to another, line by line, where nothing tells where in the file they stand. */
export function diffTexts(before: string, after: string): PatchHunk[] {
  if (before === after) return []
  const lines = diffLines(linesOf(before), linesOf(after))
  return hunksOf(lines).map((hunk) => ({ oldStart: 0, newStart: 0, lines: hunk }))
}

/** A file that was not there, or whose former text is not known. */
export function newText(text: string): PatchHunk[] {
  const lines = linesOf(text)
  return lines.length === 0 ? [] : [{ oldStart: 0, newStart: 1, lines: lines.map((line) => `+${line}`) }]
}

function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** All lines of both sides, each with its sign. */
function diffLines(before: readonly string[], after: readonly string[]): string[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return [
    ...before.slice(0, head).map(same),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

const same = (line: string): string => ` ${line}`
const gone = (line: string): string => `-${line}`
const added = (line: string): string => `+${line}`

/** By the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): string[] {
  const pairs = commonLines(before, after)
  const lines: string[] = []
  let [i, j] = [0, 0]
  for (const [old, now] of [...pairs, [before.length, after.length] as const]) {
    for (let at = i; at < old; at++) lines.push(gone(before[at] ?? ''))
    for (let at = j; at < now; at++) lines.push(added(after[at] ?? ''))
    if (old < before.length) lines.push(same(before[old] ?? ''))
    ;[i, j] = [old + 1, now + 1]
  }
  return lines
}

/** Where the lines that both sides keep stand in each, in order. */
function commonLines(before: readonly string[], after: readonly string[]): [number, number][] {
  // Lines of one side alone are in no common subsequence. Numbers, since long lines that differ at their end compare slowly.
  const numbers = new Map(before.map((line, at) => [line, at]))
  const known = new Set(after)
  const ours = before.flatMap((line, at) => (known.has(line) ? [at] : []))
  const theirs = after.flatMap((line, at) => (numbers.has(line) ? [at] : []))
  const changes = diffArrays(
    ours.map((at) => numbers.get(before[at] ?? '')),
    theirs.map((at) => numbers.get(after[at] ?? '')),
    { maxEditLength: mostEdits(ours.length, theirs.length) },
  )
  const pairs: [number, number][] = []
  let [i, j] = [0, 0]
  for (const { value, added: isAdded, removed: isRemoved } of changes ?? []) {
    if (isRemoved) i += value.length
    else if (isAdded) j += value.length
    else for (const _ of value) pairs.push([ours[i++] ?? 0, theirs[j++] ?? 0])
  }
  return pairs
}

/** The search takes one step for each edit and diagonal, and looks at no more diagonals than the shorter side has lines. */
const mostEdits = (one: number, other: number): number =>
  Math.floor(Math.max(Math.sqrt(2 * MAX_STEPS), MAX_STEPS / Math.max(1, Math.min(one, other))))

/** Changes with what stands around them; lines far from any are left out. */
function hunksOf(lines: readonly string[]): string[][] {
  const hunks: string[][] = []
  let end = -1
  lines.forEach((line, at) => {
    if (line.startsWith(' ')) return
    const from = Math.max(at - CONTEXT, end, 0)
    const to = Math.min(at + CONTEXT + 1, lines.length)
    const last = hunks.at(-1)
    if (last !== undefined && at - CONTEXT <= end) last.push(...lines.slice(end, to))
    else hunks.push(lines.slice(from, to))
    end = to
  })
  return hunks
}
