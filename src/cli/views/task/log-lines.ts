import type { TaskLogKind, TaskLogLine } from '../../../domain/task/task'
import { localTime } from '../../print/measures'
import { block, cut, oneLine, pad } from '../../print/text'

export interface LogSettings {
  /** Cells of the terminal; 0 = don't cut. */
  columns: number
  /** Texts with all their lines. Else one line for each entry. */
  isFull: boolean
}

const NAMES: Record<TaskLogKind, string> = {
  move: 'task',
  run: 'run',
  text: 'agent',
  tool: 'tool',
  tool_result: 'result',
  result: 'result',
  stderr: 'stderr',
}

/** `18:30:04  tool    Bash: npm test`: the local time, the speaker, the text. */
export function logLine(line: TaskLogLine, { columns, isFull }: LogSettings): string {
  const time = localTime(line.at)?.slice(11) ?? '--:--:--'
  const head = `${time}  ${pad(NAMES[line.kind] ?? oneLine(String(line.kind)), 6)}  `
  if (isFull)
    return `${head}${block(line.text)
      .trimEnd()
      .replaceAll('\n', `\n${' '.repeat(head.length)}`)}\n`
  const text = `${head}${oneLine(line.text)}`.trimEnd()
  return `${columns > 0 ? cut(text, columns) : text}\n`
}
