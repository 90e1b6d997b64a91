import { CONFIG_KEYS } from '../../../config/keys'
import { shownValue } from '../../../config/shown-value'
import { AppError } from '../../../domain/errors'
import { parseKey } from '../../kit/arguments/config-values'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: "Show one setting's value",
  args: [{ name: 'KEY', help: "the setting, as 'lode config list' shows it", complete: CONFIG_KEYS }],
  examples: [
    { line: 'lode config get listen.port', does: 'print only the value; a list is printed one entry per line' },
    { line: 'lode config get agents.claude-code.homes --json', does: 'print JSON: {key, value, origin, source}' },
  ],
  async run(context, { args: [name = ''] }) {
    const key = parseKey(name)
    const entry = context.configReport().entries.find((each) => each.key === key)
    if (entry === undefined) throw new AppError('internal', `Setting ${key} has no value.`)
    const value = shownValue(key, entry.value)
    context.answer({ key, value, origin: entry.origin, source: entry.source }, () => {
      if (value === null) return 'off\n'
      return (Array.isArray(value) ? value : [value]).map((each) => `${oneLine(String(each))}\n`).join('')
    })
  },
})
