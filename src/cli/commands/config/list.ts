import { exitCodeOf } from '../../../api/contract/error-codes'
import { specOf } from '../../../config/keys'
import { shownValue } from '../../../config/shown-value'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'List every setting with its value and origin',
  details: [
    "Beside each value is its origin. 'after a restart' means that a running 'lode up' or 'lode work' uses a change only after a",
    'restart; it uses all other changes at once.',
  ].join('\n'),
  args: [{ name: 'PREFIX', help: 'only settings whose key begins with it, such as worker', isOptional: true }],
  examples: [
    { line: 'lode config list', does: 'every setting: its key, value, origin and meaning' },
    { line: 'lode config list worker', does: 'those of the worker' },
    { line: 'lode config list --json', does: 'print JSON: {settings, errors, warnings, userFile, projectFile}' },
  ],
  async run(context, { args }) {
    const { entries, errors, warnings, userFile, projectFile } = context.configReport()
    const [prefix = ''] = args
    const settings = entries
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key, value, origin, source }) => ({
        key,
        value: shownValue(key, value),
        origin,
        source,
        help: specOf(key).help,
        isLive: specOf(key).isLive,
      }))
    context.answer({ settings, errors, warnings, userFile, projectFile }, () =>
      settings.map((row) => settingText(row, context.io.columns > 0)).join(''),
    )
    for (const line of context.globals.isJson ? [] : [...errors, ...warnings]) context.note(line)
    return errors.length > 0 ? exitCodeOf('invalid') : undefined
  },
})

/** What it is, where that comes from, and below it what it means: a terminal of any width holds this. */
function settingText(
  { key, value, origin, isLive, help }: { key: string; value: unknown; origin: string; isLive: boolean; help: string },
  isTerminal: boolean,
): string {
  const from = `${origin}${isLive ? '' : ', after a restart'}`
  // Without a terminal a line has all of a setting, for `grep`.
  return `${oneLine(`${key} = ${valueText(value)}`)}  (${from})${isTerminal ? '\n    ' : '  '}${oneLine(help)}\n`
}

function valueText(value: unknown): string {
  if (value === null) return 'off'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
