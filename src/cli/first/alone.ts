/** `lode` without a command: the first screen where nothing is recorded yet, else the status. Only where a person can be asked, or with `--json`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, readConfig } from '../../config/load'
import { command as status } from '../commands/server/status'
import { type Command, defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { homeFlag } from '../server/start-server'

export const command: Command = defineCommand({
  summary: 'Show the first steps, or the status',
  examples: [{ line: 'lode', does: 'begin, or see what needs you' }],
  async run(context, input) {
    const { env, cwd, canAsk, isTerminal } = context.io
    // Read apart from the command's own settings: answers may change them.
    const { config, errors, userFile } = readConfig({ env, cwd, flags: homeFlag(context) })
    const isFirst = canAsk && isTerminal && !context.globals.isJson && errors.length === 0 && isFresh(context, config)
    if (!isFirst) return await status.run(context, input)
    const { firstScreen } = await import('./first-screen')
    return await firstScreen(context, config, userFile)
  },
})

/** No record is here, and no other server is asked. */
const isFresh = ({ io: { env }, globals }: Context, { home, databaseUrl }: Config): boolean =>
  databaseUrl === null &&
  !existsSync(join(home, 'lodeline.db')) &&
  globals.server === undefined &&
  !env.LODELINE_SERVER &&
  !env.LODELINE_TOKEN
