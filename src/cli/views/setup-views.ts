import type { HookRow, SetupCheck, SetupOutcome } from '../../domain/harness/harness-setup'
import { oneLine } from '../print/text'

/** What set-up did, or would do. */
export function outcomeText(outcome: SetupOutcome & { isDryRun: boolean }, kind: 'add' | 'remove'): string {
  const { file, added, removed, addedTodoTools, removedTodoTools, isChanged, backup, isDryRun } = outcome
  if (!isChanged)
    return oneLine(kind === 'add' ? `already set up: ${file}` : `no Lodeline hooks in ${file}`).concat('\n')
  const done = isDryRun ? `would change ${file}` : `changed ${file}`
  return [
    oneLine(done),
    ...removed.map((row) => `  - ${rowText(row)}`),
    ...added.map((row) => `  + ${rowText(row)}`),
    ...(addedTodoTools ? ['  + env CLAUDE_CODE_ENABLE_TODO_TOOLS=1'] : []),
    ...(removedTodoTools ? ['  - env CLAUDE_CODE_ENABLE_TODO_TOOLS'] : []),
    ...(backup === null ? [] : [oneLine(`backup: ${backup}`)]),
    '',
  ].join('\n')
}

/** What stands in the settings. */
export function checkText(check: SetupCheck, version: string | null): string {
  const { file, installed, missing, outdated, disablesHooks } = check
  return [
    oneLine(`${file} (Claude Code ${version ?? 'not found'})`),
    ...installed.map((row) => `  ok       ${rowText(row)}`),
    ...missing.map((row) => `  missing  ${rowText(row)}`),
    ...outdated.map((row) => `  old      ${rowText(row)}`),
    ...(disablesHooks ? ['  disableAllHooks is set, so no hook runs.'] : []),
    ...(missing.length + outdated.length > 0 ? ["Run 'lode setup claude --update-hooks' to fix this."] : []),
    '',
  ].join('\n')
}

function rowText({ event, matcher, command }: HookRow): string {
  return oneLine(`${matcher === undefined ? event : `${event} (${matcher})`}: ${command}`)
}
