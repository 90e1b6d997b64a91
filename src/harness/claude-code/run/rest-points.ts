import type { MainLine } from './main-lines'

/** Indexes of lines after which the conversation is at rest, ascending. */
export function restPoints(lines: readonly MainLine[]): number[] {
  const rests: number[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (!line) continue
    if (line.kind === 'interruption') rests.push(i)
    else if (line.kind === 'asked_compaction') rests.push(endOfCompaction(lines, i))
    else if (line.kind === 'words' && !isSameMessage(line, lines[i + 1]) && isOver(lines, i)) rests.push(i)
  }
  return rests
}

/** A message is written as one line for each of its blocks. */
const isSameMessage = (line: MainLine, next: MainLine | undefined): boolean =>
  line.messageId !== null && line.messageId === next?.messageId

/** Older releases don't write why the model stopped; then the next prompt tells. */
function isOver(lines: readonly MainLine[], at: number): boolean {
  if (lines[at]?.isEnd) return true
  for (let i = at + 1; i < lines.length; i++) {
    const kind = lines[i]?.kind
    if (kind === 'prompt') return true
    if (kind !== 'attachment' && kind !== 'other') return false
  }
  return false
}

/** After the summary come the echo of the command and the context that the model gets again. */
function endOfCompaction(lines: readonly MainLine[], at: number): number {
  let end = at
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i]
    if (!line || line.isAfterQueue || !['summary', 'attachment', 'other'].includes(line.kind)) break
    end = i
  }
  return end
}
