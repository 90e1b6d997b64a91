import { exitCodeOf } from '../../../api/contract/error-codes'
import { specOf } from '../../../config/keys'
import { defineCommand } from '../../kit/command'
import { showValue } from '../../kit/config-values'
import { table } from '../../print/table'

export const command = defineCommand({
  summary: 'List every setting with its value and origin',
  details: "EFFECT says when a change reaches a running 'lode up' or 'lode work': at once, or after a restart.",
  examples: [
    { line: 'lode config list', does: 'key, value, origin, meaning' },
    { line: 'lode config list --json', does: 'print JSON: {settings, errors, warnings, userFile, projectFile}' },
  ],
  async run(context) {
    const { entries, errors, warnings, userFile, projectFile } = context.configReport()
    const settings = entries.map(({ key, value, origin, source }) => ({
      key,
      value: showValue(key, value),
      origin,
      source,
      help: specOf(key).help,
      isLive: specOf(key).isLive,
    }))
    context.answer({ settings, errors, warnings, userFile, projectFile }, () =>
      table(
        settings,
        [
          { title: 'KEY', cell: (row) => row.key },
          { title: 'VALUE', cell: (row) => valueText(row.value), max: 48 },
          { title: 'FROM', cell: (row) => row.origin },
          { title: 'EFFECT', cell: (row) => (row.isLive ? 'at once' : 'restart') },
          { title: 'MEANING', cell: (row) => row.help, flexible: 24, wraps: true },
        ],
        context.io.columns,
      ),
    )
    for (const line of context.globals.isJson ? [] : [...errors, ...warnings]) context.note(line)
    return errors.length > 0 ? exitCodeOf('invalid') : undefined
  },
})

function valueText(value: unknown): string {
  if (value === null) return 'off'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
