import { isWithin } from '../../util/files/is-within'
import { dangersOf } from './danger'
import type { DangerKind } from './danger-rules'
import { isFileTool, SEVERAL_FILES, subjectOf } from './tool-call'

/**
 * The narrowest rule of `worker.allow` by which a call like this one is never asked about again: a command word for word, a tool for files in
 * the run's folder, one file elsewhere, any other tool by its name. `null` = no rule would allow it, or one that does allows more than was
 * asked for.
 *
 * @param dir  the run's folder, absolute; `null` = it is not known
 */
export function alwaysRule(toolName: string, input: unknown, dir: string | null): string | null {
  if (!/^[\w.:-]+$/.test(toolName) || isSeveral(toolName)) return null
  const subject = subjectOf(toolName, input)
  // A name alone would let the tool remove or publish anything.
  if (subject === null && dangersOf(toolName, input, false).some(({ kind }) => LASTING.has(kind))) return null
  if (subject === null) return toolName
  if (isFileTool(toolName)) return fileRule(toolName, subject, dir)
  // A star would stand for anything; what joins commands is asked about whatever the rules say.
  return /[*;&|<>()\n\r`\\]|\$\(/.test(subject) || subject.trim() === '' ? null : `${toolName}(${subject})`
}

/** The tool's name alone allows the run's folder only. */
function fileRule(toolName: string, path: string, dir: string | null): string | null {
  const isPlain = !path.startsWith('/') && !path.startsWith('~') && !path.split('/').includes('..')
  // A worktree counts as the folder that it was made from.
  if (isPlain || path.includes('/worktrees/') || (dir !== null && isWithin(path, dir))) return toolName
  return /^[~/]/.test(path) && !/[*()\n\r]/.test(path) && !path.split('/').includes('..')
    ? `${toolName}(${path})`
    : null
}

const isSeveral = (toolName: string): boolean => Object.values<string>(SEVERAL_FILES).includes(toolName)

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
  const rule = isCut ? null : alwaysRule(toolName, input, dir)
  if (rule === null) return []
  return dir !== null && isRuleFolder(dir) ? [`${rule} in ${dir}`, rule] : [rule]
}

const isRuleFolder = (dir: string): boolean => /^\/[^\n\r]{0,500}$/.test(dir)
