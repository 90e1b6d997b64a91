import { glob } from '../../util/glob'
import { type RulePlace, wholePath, wholePattern } from './file-rules'
import { isOwnTool } from './own-tools'
import { isFileTool, isWriter, subjectOf, textsOf } from './tool-call'

/** What the rules say of a tool call; `ask` = nothing: somebody is to be asked. */
export type Verdict = { behavior: 'allow' | 'deny'; rule: string } | { behavior: 'ask' }

export interface PolicyRules {
  /** `Tool` or `Tool(pattern)`; `*` stands for any characters, in both parts. With ` in FOLDER` it counts for runs in that folder alone. */
  allow: readonly string[]
  /** Wins over `allow`. */
  deny: readonly string[]
}

/**
 * Decides by rules alone. A rule for files reads its pattern as a path: from `/`, from the person's home (`~/`), anywhere (a leading double star), else from
 * the run's folder; and without a pattern it allows the run's folder only. A rule `Edit(path)` refuses every tool that changes
 * files, `Read(path)` every tool that reads them.
 *
 * @param place  `null` = the run's machine is not this one, so that nobody here can say where a path leads: no rule allows a file then
 */
export function judge(
  { allow, deny }: PolicyRules,
  toolName: string,
  input: unknown,
  place: RulePlace | null,
): Verdict {
  const call = { toolName, input, place }
  const refused = deny.find((rule) => refuses(rule, call))
  if (refused !== undefined) return { behavior: 'deny', rule: refused }
  // They touch the run's task alone.
  if (isOwnTool(toolName)) return { behavior: 'allow', rule: toolName }
  const allowed = allow.find((rule) => allows(rule, call))
  return allowed === undefined ? { behavior: 'ask' } : { behavior: 'allow', rule: allowed }
}

interface Call {
  toolName: string
  input: unknown
  place: RulePlace | null
}

/** A rule as its tool, its pattern and the folder of the runs for which it counts; `null` = it has none. */
export function splitRule(rule: string): { name: string; pattern: string | null; folder: string | null } {
  const [, name = '', pattern, folder = null] = /^([^( ]*)(?:\((.*)\))?(?: in (\/.*))?$/s.exec(rule) ?? []
  return { name, pattern: pattern === undefined || (pattern === '*' && !isFileTool(name)) ? null : pattern, folder }
}

function allows(rule: string, call: Call): boolean {
  const { toolName, input, place } = call
  const { name, pattern, folder } = splitRule(rule)
  if (!glob(name, toolName) || (folder !== null && !worksIn(folder, place))) return false
  if (name === '*' && pattern === null) return true
  if (isFileTool(toolName)) {
    if (place === null) return false
    const { real } = wholePath(subjectOf(toolName, input) ?? place.cwd, place)
    const leavesFolder = toolName === 'Glob' && namesFolder(input)
    return real !== null && !leavesFolder && fits(wholePattern(pattern ?? './**', place).real, real)
  }
  if (pattern === null) return true
  const subject = subjectOf(toolName, input)
  if (subject === null) return false
  // `Bash(git *)` is meant for one command of git; `git status; rm -rf ~` begins the same.
  if (toolName === 'Bash' && /[;&|<>\n\r`]|\$\(/.test(subject)) return false
  return glob(pattern, subject)
}

/** Whether a run works in a folder or below it. A task's worktree counts as the folder that it was made from. */
function worksIn(folder: string, place: RulePlace | null): boolean {
  if (place === null) return false
  const real = place.real(folder)
  return real !== null && fits(`${real === '/' ? '' : real}/*`, place.project ?? place.cwd)
}

function refuses(rule: string, call: Call): boolean {
  const { toolName, input, place } = call
  const { name, pattern } = splitRule(rule)
  if (!glob(name, toolName) && !(pattern !== null && isKin(name, toolName))) return false
  if (pattern === null) return true
  const subject = subjectOf(toolName, input)
  if (!isFileTool(toolName)) return (subject === null ? textsOf(input) : [subject]).some((text) => glob(pattern, text))
  const path = subject ?? place?.cwd
  if (path === undefined) return false
  if (place === null) return glob(pattern, path)
  const wanted = wholePattern(pattern, place)
  const { typed, real } = wholePath(path, place)
  return [wanted.typed, wanted.real].some((each) => fits(each, typed) || (real !== null && fits(each, real)))
}

/** A folder belongs to what is below it. */
const fits = (pattern: string, path: string): boolean => glob(pattern, path) || glob(pattern, `${path}/`)

/** Whether the pattern of a search says itself where to look. */
const namesFolder = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'pattern' in input && LEADS_AWAY.test(String(input.pattern))
const LEADS_AWAY = /^[/~]|(?:^|\/)\.\.(?:\/|$)/

/** Whether a rule that refuses files to the one tool is meant for the other. */
const isKin = (name: string, toolName: string): boolean =>
  name === 'Edit' ? isWriter(toolName) : name === 'Read' && isFileTool(toolName) && !isWriter(toolName)
