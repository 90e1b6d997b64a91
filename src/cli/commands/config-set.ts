import { type ConfigValue, setConfigValue } from '../../config/edit'
import { CONFIG_KEYS, type ConfigKey, KEYS } from '../../config/keys'
import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { parseKey, showValue } from '../config-values'
import { findServer } from '../connect'
import { usageError } from '../parse-args'

export const command = defineCommand({
  summary: "Set one setting in the user's file",
  details:
    'Everything else in the file stays as it is, comments included. A running server takes most settings over within two seconds;\n' +
    "of the others, which 'lode config list' marks with 'restart', this command says that it has to be started again.",
  args: [
    { name: 'KEY', help: "the setting, as 'lode config list' shows it", complete: CONFIG_KEYS },
    { name: 'VALUE', help: 'the value; several for a list', isOptional: true, isRepeated: true },
  ],
  options: { default: { kind: 'flag', help: 'remove the setting from the file, so that the default counts again' } },
  examples: [
    { line: 'lode config set listen.port 4700', does: 'another port' },
    { line: 'lode config set claude.roots ~/.claude ~/work/.claude', does: 'follow two folders' },
    { line: 'lode config set retention.days off', does: 'keep everything' },
    { line: 'lode config set listen.port --default', does: 'back to the default' },
  ],
  async run(context, { args: [name = '', ...words], options }) {
    const key = parseKey(name)
    if (options.default === words.length > 0) throw usageError(context.path)('Give a VALUE, or --default.')
    const value = options.default ? undefined : toValue(key, words, context.io)
    const { userFile } = context.configReport()
    const isChanged = setConfigValue(userFile, key, value)
    const answer = { key, value: showValue(key, value ?? null), file: userFile, isChanged, isLive: KEYS[key].isLive }
    const restart = isChanged && !KEYS[key].isLive ? await findServer(context.configReport().config.home) : null
    context.answer(answer, () => `${isChanged ? 'set' : 'already set:'} ${key} in ${userFile}\n`)
    if (restart !== null)
      context.note(
        `Restart lode up (process ${restart.pid}) for it to count: end it with Ctrl-C or 'kill ${restart.pid}', then start it again.`,
      )
    const { origin, source } = context.configReport().entries.find((each) => each.key === key) ?? {}
    if (origin === 'environment') context.note(`${source} sets ${key} too, and wins.`)
  },
})

/** Checked as the file's reader will check it, and written in the same form. */
function toValue(
  key: ConfigKey,
  words: string[],
  io: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): ConfigValue {
  const place = { env: io.env, folder: io.cwd }
  const isList = Array.isArray(KEYS[key].fallback(place))
  if (!isList && words.length > 1) throw new AppError('invalid', `${key} takes one value, not ${words.length}.`)
  try {
    const value = KEYS[key].parse(isList ? words : words[0], place)
    return value === null ? 'off' : value
  } catch (error) {
    throw new AppError('invalid', `${key} ${(error as Error).message}.`, { hint: `${key}: ${KEYS[key].help}.` })
  }
}
