import type { ConfigValue } from '../../../config/file/edit'
import { CONFIG_KEYS, type ConfigKey, specOf } from '../../../config/keys'
import { missingHomes } from '../../../config/missing-homes'
import { shownValue } from '../../../config/shown-value'
import { AppError } from '../../../domain/errors'
import { parseKey } from '../../kit/arguments/config-values'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { findServer } from '../../kit/connect'

export const command = defineCommand({
  summary: "Set one setting in the user's settings file",
  details:
    'The rest of the file, including comments, is unchanged. A running server applies most settings within two seconds. Settings\n' +
    "that 'lode config list' marks 'restart' need a restart; this command then asks for one.",
  args: [
    { name: 'KEY', help: "the setting, as 'lode config list' shows it", complete: CONFIG_KEYS },
    { name: 'VALUE', help: 'the value; for a list several, or one JSON array', isOptional: true, isRepeated: true },
  ],
  options: { default: { kind: 'flag', help: 'remove the setting from the file to restore its default' } },
  examples: [
    { line: 'lode config set listen.port 4700', does: 'use another port' },
    {
      line: 'lode config set agents.claude-code.homes ~/.claude ~/work/.claude',
      does: 'record two Claude Code folders',
    },
    { line: 'lode config set retention.days off', does: 'never delete old records' },
    { line: 'lode config set listen.port --default', does: 'restore the default' },
  ],
  async run(context, { args: [name = '', ...words], options }) {
    const key = parseKey(name)
    if (options.default === words.length > 0) throw usageError(context.path)('Pass either a VALUE or --default.')
    const value = options.default ? undefined : toValue(key, words, context.io)
    const { userFile } = context.configReport()
    // YAML's library is for this alone: help and completion don't load it.
    const { setConfigValue } = await import('../../../config/file/edit')
    const isChanged = setConfigValue(userFile, key, value)
    const answer = { key, value: shownValue(key, value ?? null), file: userFile, isChanged, isLive: specOf(key).isLive }
    const restart = isChanged && !specOf(key).isLive ? await findServer(context.configReport().config.home) : null
    context.answer(answer, () => `${isChanged ? 'set' : 'already set:'} ${key} in ${userFile}\n`)
    for (const folder of missingHomes(key, value)) context.note(`${folder} is not there. It is recorded once it is.`)
    if (restart !== null)
      context.note(
        `Restart lode up (process ${restart.pid}) to apply this: stop it with Ctrl-C or 'kill ${restart.pid}', then start it again.`,
      )
    const { origin, source } = context.configReport().entries.find((each) => each.key === key) ?? {}
    if (origin === 'environment') context.note(`${source} also sets ${key} and takes precedence.`)
  },
})

/** Checked as the file's reader will check it, and written in the same form. */
function toValue(
  key: ConfigKey,
  words: string[],
  io: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): ConfigValue {
  const place = { env: io.env, folder: io.cwd }
  const isList = Array.isArray(specOf(key).fallback(place))
  if (!isList && words.length > 1) throw new AppError('invalid', `${key} takes one value, not ${words.length}.`)
  try {
    const value = specOf(key).parse(isList ? listOf(words) : words[0], place)
    return value === null ? 'off' : value
  } catch (error) {
    throw new AppError('invalid', `${key} ${(error as Error).message}.`, { hint: `${key}: ${specOf(key).help}.` })
  }
}

/** Lists are shown as JSON, so that they come back as JSON. */
function listOf(words: string[]): unknown {
  const [only] = words
  if (words.length !== 1 || !only?.startsWith('[')) return words
  try {
    return JSON.parse(only)
  } catch {
    throw new Error('takes several values or one JSON array, and this is neither')
  }
}
