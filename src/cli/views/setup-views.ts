import type { HookRow, SetupCheck, SetupOutcome } from '../../domain/harness/harness-setup'
import { oneLine } from '../print/text'

type Costs = ReadonlyMap<string, number> | null

/** What set-up did, or would do. */
export function outcomeText(
  outcome: SetupOutcome & { isDryRun: boolean },
  costs: Costs,
  kind: 'add' | 'remove',
): string {
  const { file, added, removed, addedTodoTools, removedTodoTools, isChanged, backup, isDryRun } = outcome
  if (!isChanged)
    return oneLine(kind === 'add' ? `already set up: ${file}` : `no Lodeline hooks in ${file}`).concat('\n')
  const done = isDryRun ? `would change ${file}` : `changed ${file}`
  return [
    oneLine(done),
    ...removed.map((row) => `  - ${rowText(row, null)}`),
    ...added.map((row) => `  + ${rowText(row, costs)}`),
    ...(addedTodoTools ? ['  + env CLAUDE_CODE_ENABLE_TODO_TOOLS=1'] : []),
    ...(removedTodoTools ? ['  - env CLAUDE_CODE_ENABLE_TODO_TOOLS'] : []),
    ...(backup === null ? [] : [oneLine(`backup: ${backup}`)]),
    ...(costs === null && kind === 'add' ? ['Use --measure to time each hook.'] : []),
    '',
  ].join('\n')
}

/** What stands in the settings. */
export function checkText(check: SetupCheck, version: string | null, costs: Costs): string {
  const { file, installed, missing, outdated, disablesHooks } = check
  return [
    oneLine(`${file} (Claude Code ${version ?? 'not found'})`),
    ...installed.map((row) => `  ok       ${rowText(row, costs)}`),
    ...missing.map((row) => `  missing  ${rowText(row, null)}`),
    ...outdated.map((row) => `  old      ${rowText(row, null)}`),
    ...(disablesHooks ? ['  disableAllHooks is set, so no hook runs.'] : []),
    ...(missing.length + outdated.length > 0 ? ["Run 'lode setup claude --update-hooks' to fix this."] : []),
    '',
  ].join('\n')
}

function rowText({ event, matcher, command }: HookRow, costs: Costs): string {
  const cost = costs?.get(command)
  const where = matcher === undefined ? event : `${event} (${matcher})`
  return oneLine(`${where}: ${command}${cost === undefined ? '' : ` (${cost.toFixed(1)} ms)`}`)
}
