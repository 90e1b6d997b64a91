import type { HookRow, SetupCheck, SetupOutcome } from '../../domain/harness/harness-setup'
import { oneLine } from '../print/text'

/** What set-up did, or would do. */
export function outcomeText(outcome: SetupOutcome & { isDryRun: boolean }, kind: 'add' | 'remove'): string {
  const { file, added, removed, addedTodoTools, removedTodoTools, trusted, isChanged, backup, isDryRun } = outcome
  const { addedStatusline, removedStatusline } = outcome
  if (!isChanged)
    return oneLine(kind === 'add' ? `already set up: ${file}` : `no Lodeline hooks in ${file}`).concat('\n')
  const done = isDryRun ? `would change ${file}` : `changed ${file}`
  return [
    oneLine(done),
    ...removed.map((row) => `  - ${rowText(row)}`),
    ...added.map((row) => `  + ${rowText(row)}`),
    ...trusted.map((row) => `  trust ${rowText(row)}`),
    ...(addedTodoTools ? ['  + env CLAUDE_CODE_ENABLE_TODO_TOOLS=1'] : []),
    ...(addedStatusline ? ['  + statusLine lode statusline'] : []),
    ...(removedStatusline ? ['  - statusLine lode statusline'] : []),
    ...(removedTodoTools ? ['  - env CLAUDE_CODE_ENABLE_TODO_TOOLS'] : []),
    ...(backup === null ? [] : [oneLine(`backup: ${backup}`)]),
    '',
  ].join('\n')
}

/**
 * What stands in the settings.
 *
 * @param path  the command, as it was called
 */
export function checkText(
  check: SetupCheck,
  { title }: { title: string },
  version: string | null,
  path: string,
): string {
  const { file, installed, missing, outdated, untrusted, disablesHooks, statusline } = check
  const isTrusted = (row: HookRow) => !untrusted.includes(row)
  return [
    oneLine(`${file} (${title} ${version ?? 'not found'})`),
    ...installed.filter(isTrusted).map((row) => `  ok       ${rowText(row)}`),
    ...untrusted.map((row) => `  skipped  ${rowText(row)}`),
    ...missing.map((row) => `  missing  ${rowText(row)}`),
    ...outdated.map((row) => `  old      ${rowText(row)}`),
    ...(statusline === null ? [] : [oneLine(`ok       statusLine ${statusline}`).replace(/^/, '  ')]),
    ...(untrusted.length > 0 ? [`  ${title} skips hooks that nobody told it to trust.`] : []),
    ...(disablesHooks ? ['  disableAllHooks is set, so no hook runs.'] : []),
    ...(missing.length + outdated.length + untrusted.length > 0 ? [`Run '${path} --update-hooks' to fix this.`] : []),
    '',
  ].join('\n')
}

function rowText({ event, matcher, command }: HookRow): string {
  return oneLine(`${matcher === undefined ? event : `${event} (${matcher})`}: ${command}`)
}
