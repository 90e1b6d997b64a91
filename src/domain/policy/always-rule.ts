import { isFileTool, subjectOf } from './tool-call'

/**
 * The narrowest rule of `worker.allow` by which a call like this one is never asked about again: a command word for word, a tool for files in
 * the run's folder, any other tool by its name. `null` = no rule would allow it, or one that does allows more than was asked for.
 */
export function alwaysRule(toolName: string, input: unknown): string | null {
  if (!/^[\w.:-]+$/.test(toolName)) return null
  const subject = subjectOf(toolName, input)
  if (subject === null || isFileTool(toolName)) return toolName
  // A star would stand for anything; what joins commands is asked about whatever the rules say.
  return /[*;&|<>()\n\r`\\]|\$\(/.test(subject) || subject.trim() === '' ? null : `${toolName}(${subject})`
}
