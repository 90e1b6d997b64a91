import type { PatchHunk } from '../../domain/line-content'

/** Lines shown around a change. */
const CONTEXT = 3
/** Lines of one side times those of the other, beyond which a change is shown as all of one and all of the other. */
const COMPARED_PAIRS = 1_000_000

/** What changed from one text to another, line by line, where nothing tells where in the file they stand. */
export function diffTexts(before: string, after: string): PatchHunk[] {
  if (before === after) return []
  const lines = diffLines(linesOf(before), linesOf(after))
  return hunksOf(lines).map((some) => ({ oldStart: 0, newStart: 0, lines: some }))
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
  if (before.length * after.length > COMPARED_PAIRS) return [...before.map(gone), ...after.map(added)]
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [one, other] = [before[i], after[j]]
    if (one !== undefined && one === other) {
      lines.push(same(one))
      i++
      j++
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(one))
      i++
    } else if (other !== undefined) {
      lines.push(added(other))
      j++
    }
  }
  return lines
}

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
