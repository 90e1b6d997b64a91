/** What the rules say of a tool call; `ask` = nothing: somebody is to be asked. */
export type Verdict = { behavior: 'allow' | 'deny'; rule: string } | { behavior: 'ask' }

export interface PolicyRules {
  /** `Tool` or `Tool(pattern)`; `*` stands for any characters, in both parts. */
  allow: readonly string[]
  /** Wins over `allow`. */
  deny: readonly string[]
}

/** Lodeline's own tools never need an answer: they touch the run's task alone. */
const OWN_TOOLS = 'mcp__lodeline__*'

/** Decides by rules alone. Pure. */
export function judge({ allow, deny }: PolicyRules, toolName: string, input: unknown): Verdict {
  const refused = deny.find((rule) => matches(rule, toolName, input, false))
  if (refused !== undefined) return { behavior: 'deny', rule: refused }
  const allowed = [OWN_TOOLS, ...allow].find((rule) => matches(rule, toolName, input, true))
  return allowed === undefined ? { behavior: 'ask' } : { behavior: 'allow', rule: allowed }
}

function matches(rule: string, toolName: string, input: unknown, isAllow: boolean): boolean {
  const parts = /^([^(]*)(?:\((.*)\))?$/s.exec(rule)
  const [, name = '', pattern] = parts ?? []
  if (!glob(name, toolName)) return false
  if (pattern === undefined || pattern === '*') return true
  const argument = mainArgument(input)
  if (argument === null) return false
  // `Bash(git *)` is meant for one command of git; `git status; rm -rf ~` begins the same.
  if (isAllow && toolName === 'Bash' && /[;&|<>\n\r`]|\$\(/.test(argument)) return false
  // `Edit(/repo/*)` is meant for what is below that folder.
  if (isAllow && toolName !== 'Bash' && /(^|[/\\])\.\.([/\\]|$)/.test(argument)) return false
  return glob(pattern, argument)
}

/** The input's field that tells what the call is about, by the names that tools give it. */
const MAIN_FIELDS = [
  'command',
  'file_path',
  'notebook_path',
  'url',
  'path',
  'pattern',
  'query',
  'skill',
  'subagent_type',
]

function mainArgument(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null
  for (const field of MAIN_FIELDS) {
    const value: unknown = Object.hasOwn(input, field) ? (input as Record<string, unknown>)[field] : undefined
    if (typeof value === 'string') return value
  }
  return null
}

/** Whole-text match in linear time per star: a hostile argument can't make it slow, as a regular expression could be. */
function glob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(first)) return false
  const last = rest.pop() ?? ''
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
