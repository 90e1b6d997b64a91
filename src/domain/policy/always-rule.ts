import { dangersOf } from './danger'
import type { DangerKind } from './danger-rules'
import { isFileTool, subjectOf } from './tool-call'

/**
 * The narrowest rule of `worker.allow` by which a call like this one is never asked about again: a command word for word, a tool for files in
 * the run's folder, any other tool by its name. `null` = no rule would allow it, or one that does allows more than was asked for.
 */
export function alwaysRule(toolName: string, input: unknown): string | null {
  if (!/^[\w.:-]+$/.test(toolName)) return null
  const subject = subjectOf(toolName, input)
  // A name alone would let the tool remove or publish anything.
  if (subject === null && dangersOf(toolName, input, false).some(({ kind }) => LASTING.has(kind))) return null
  if (subject === null || isFileTool(toolName)) return toolName
  // A star would stand for anything; what joins commands is asked about whatever the rules say.
  return /[*;&|<>()\n\r`\\]|\$\(/.test(subject) || subject.trim() === '' ? null : `${toolName}(${subject})`
}

/** What can't be undone. */
const LASTING: ReadonlySet<DangerKind> = new Set<DangerKind>(['destroys', 'publishes', 'pushes'])

/**
 * The rules by which a person may let such a call through from now on, the narrowest first: in this project alone, then everywhere. Empty =
 * there is none.
 *
 * @param isCut  whether the input is not known whole
 * @param dir    the task's folder, absolute; `null` = it names none
 */
export function alwaysRules(toolName: string, input: unknown, isCut: boolean, dir: string | null): string[] {
  const rule = isCut ? null : alwaysRule(toolName, input)
  if (rule === null) return []
  return dir !== null && isRuleFolder(dir) ? [`${rule} in ${dir}`, rule] : [rule]
}

const isRuleFolder = (dir: string): boolean => /^\/[^\n\r]{0,500}$/.test(dir)
