import type { RunFile, RunFileOptions } from '../../../domain/harness/harness-run'
import { shellLine } from '../../../util/shell-words'
import { VERSION } from '../../../util/version'
import { startCommand } from '../../hook-settings/start-command'
import { groupOf, hookRows } from '../setup/hook-rows'

/** What makes a folder a plugin of the CLI: a run takes its hooks from its own folder. */
export const PLUGIN_FILE = 'plugin.json'
const HOOKS_FILE = 'hooks.json'

/** The hooks of a run, which give the agent its task again. Those of the person do the same, and each moment has one text. */
export const pluginFiles = ({ lode }: Pick<RunFileOptions, 'lode'>): RunFile[] => [
  { name: PLUGIN_FILE, text: file({ name: 'lodeline-run', version: VERSION, hooks: `./${HOOKS_FILE}` }) },
  { name: HOOKS_FILE, text: file({ version: 1, hooks: Object.fromEntries(groupsOf(lode)) }) },
]

/**
 * The CLI need not wait for a hook where the worker knows what it would tell: the start, which the worker makes, and the end of a turn, at
 * which it brings messages itself.
 */
const KNOWN: ReadonlySet<string> = new Set(['SessionStart', 'Stop'])

/** The hook of its first prompt gives a run its start's reminder. */
const START = 'UserPromptSubmit'

const groupsOf = (lode: readonly string[]): [string, object[]][] => {
  const line = shellLine(lode)
  const command = shellLine(['sh', '-c', startCommand(`${line} hook --agent copilot`)])
  return hookRows(line)
    .filter(({ event }) => !KNOWN.has(event))
    .map((row) => [row.event, [groupOf(row.event === START ? { ...row, command } : row)]])
}

const file = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
