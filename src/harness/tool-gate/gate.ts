import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunLaunch } from '../../domain/harness/harness-run'
import { judge, type Verdict } from '../../domain/policy/tool-rules'
import type { JsonRecord } from '../json-lines/json-value'
import { rulesOf } from './modes'

/** A tool call in the words of rules and questions. */
export interface GateCall {
  toolName: string
  input: JsonRecord
}

/**
 * What is decided of a call without anybody: `ask` = it is a matter of the worker's rules and of whoever answers its questions.
 *
 * @param harmless  rules for tools of the CLI that touch nothing by themselves: allowed in every mode
 */
export function gate(
  { denied, permissionMode, cwd, userHome }: Pick<RunLaunch, 'denied' | 'permissionMode' | 'cwd' | 'userHome'>,
  { toolName, input }: GateCall,
  harmless: readonly string[] = [],
): Verdict {
  const { allow, asks } = rulesOf(permissionMode)
  const verdict = judge({ allow: [...allow, ...harmless], deny: denied }, toolName, input, {
    cwd: real(cwd) ?? cwd,
    userHome,
    real,
  })
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
