import type { RunLaunch } from '../../../domain/harness/harness-run'
import { shellLine } from '../../../util/shell-words'
import { startCommand } from '../../hook-settings/start-command'
import { isRecord, type JsonRecord, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { groupOf } from '../setup/hook-rows'

/** This hook gives a run its task: at its start, when it goes on, and after a compaction. The worker knows all else of it. */
const EVENT = 'SessionStart'

/** The person's shell, which the CLI takes for hooks, may be none of POSIX. */
export const hookCommand = (lode: readonly string[]): string =>
  `exec ${shellLine(['sh', '-c', startCommand(`${shellLine(lode)} hook --agent codex`)])}`

const groupsOf = (lode: readonly string[]): Record<string, unknown>[] => [
  groupOf({ event: EVENT, command: hookCommand(lode) }),
]

/** Options of the program that name the hook, so that the CLI lists it. They hold no token. */
export const hookArguments = ({ lode }: Pick<RunLaunch, 'lode'>): string[] => [
  '-c',
  `hooks.${EVENT}=${toml(groupsOf(lode))}`,
]

/**
 * Settings of the run's thread that name its hook and say that it is trusted: the CLI skips hooks that nobody trusts. Hooks of the person
 * and of the repository gain nothing by that, and no file is changed.
 *
 * The trust names a digest that the CLI alone knows, under the place that the hook would have in a file (0.169).
 *
 * @param listed  what the CLI answers to `hooks/list`; without the hook in it the run has none
 */
export function trustedHooks({ lode }: Pick<RunLaunch, 'lode'>, listed: JsonRecord | undefined): object {
  const groups = groupsOf(lode)
  const commands = groups.flatMap(({ hooks }) => listOf(hooks).map((hook) => recordOf(hook)?.command))
  const trusted = listOf(listed?.data)
    .flatMap((entry) => listOf(recordOf(entry)?.hooks))
    .filter(isRecord)
    .flatMap(({ key, currentHash, command, source }) => {
      const [place, hash] = [textOf(key), textOf(currentHash)]
      const isOwn = source === 'sessionFlags' && commands.includes(command)
      return isOwn && place !== undefined && hash !== undefined ? [[place, { trusted_hash: hash }] as const] : []
    })
  return trusted.length === 0 ? {} : { hooks: { [EVENT]: groups, state: Object.fromEntries(trusted) } }
}

/** A value of JSON as TOML has it: strings are written alike, but that this one has no DEL in them. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`
  if (isRecord(value))
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}=${toml(each)}`)
      .join(',')}}`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
