import { CONFIG_KEYS } from '../../config/keys'
import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { parseKey, showValue } from '../config-values'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: "Show one setting's value",
  args: [{ name: 'KEY', help: "the setting, as 'lode config list' shows it", complete: CONFIG_KEYS }],
  examples: [
    { line: 'lode config get listen.port', does: 'the value alone; lists one entry a line' },
    { line: 'lode config get claude.roots --json', does: 'as {key, value, origin, source}' },
  ],
  async run(context, { args: [name = ''] }) {
    const key = parseKey(name)
    const entry = context.configReport().entries.find((each) => each.key === key)
    if (entry === undefined) throw new AppError('internal', `${key} has no value.`)
    const value = showValue(key, entry.value)
    context.answer({ key, value, origin: entry.origin, source: entry.source }, () => {
      if (value === null) return 'off\n'
      return (Array.isArray(value) ? value : [value]).map((each) => `${oneLine(String(each))}\n`).join('')
    })
  },
})
