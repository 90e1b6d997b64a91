import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunLaunch } from '../../../domain/harness/harness-run'
import { judge, type Verdict } from '../../../domain/policy/tool-rules'
import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord } from '../../json-lines/json-value'
import { rulesOf } from './modes'

/** The names that rules have for the CLI's own tools, and the field that rules look at. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['powershell', 'Bash'],
  ['read', 'Read'],
  ['edit', 'Edit'],
  ['write', 'Write'],
  ['grep', 'Grep'],
  ['find', 'Glob'],
  ['ls', 'LS'],
])
const WITH_FILE: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write'])

/** A tool call in the words of rules and questions. */
export interface GateCall {
  toolName: string
  input: JsonRecord
}

export function gateCall(name: string, given: unknown): GateCall {
  const toolName = NAMES.get(name) ?? name
  const input = isRecord(given) ? given : {}
  if (!WITH_FILE.has(toolName)) return { toolName, input }
  const { path, ...rest } = input
  return { toolName, input: { file_path: typeof path === 'string' ? withoutSign(path) : path, ...rest } }
}

/** The CLI takes `@notes.md` for `notes.md`: models repeat what a person wrote. */
const withoutSign = (path: string): string => (path.startsWith('@') ? path.slice(1) : path)

/** What is decided of a call without anybody: `ask` = it is a matter of the worker's rules and of whoever answers its questions. */
export function gate(
  { denied, permissionMode, cwd, userHome }: Pick<RunLaunch, 'denied' | 'permissionMode' | 'cwd' | 'userHome'>,
  { toolName, input }: GateCall,
): Verdict {
  const { allow, asks } = rulesOf(permissionMode)
  const verdict = judge({ allow, deny: denied }, toolName, input, { cwd: real(cwd) ?? cwd, userHome, real })
  return verdict.behavior === 'ask' && !asks ? { behavior: 'deny', rule: `permission mode ${permissionMode}` } : verdict
}

/** Where a path leads, as far as it exists; what is missing below stays as it is written. `null` = links in a circle, no right to look. */
function real(path: string): string | null {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) return null
      missing.unshift(at.slice(dirname(at).length).replace(/^\//, ''))
    }
  }
}
