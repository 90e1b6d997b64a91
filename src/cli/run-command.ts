import type { Client } from '../api/client/client'
import type { ConfigFlags, ConfigReport } from '../config/load'
import { AppError } from '../domain/errors'
import type { Input } from './kit/arguments/specs'
import type { Command } from './kit/command'
import type { Connection, Context } from './kit/context'
import { EXIT } from './kit/exit-codes'
import { fold } from './print/fold'
import { json } from './print/print'
import { oneLine } from './print/text'

/** Gives the command its context, runs it, and closes what it opened. */
export async function runCommand(
  command: Command,
  input: Input,
  call: Pick<Context, 'path' | 'io' | 'signal' | 'takeSecondSignal' | 'globals' | 'completionScript'>,
): Promise<number> {
  const { io, globals, signal, path } = call
  // YAML and the key table stay out of the start of what agents and workers wait for.
  const readsNone = command.isForPrograms || command.readsNoSettings
  const { readConfig } = readsNone ? { readConfig: undefined } : await import('../config/load')
  let report: ConfigReport | undefined
  let connection: Promise<Connection> | undefined

  const read = (settings: ConfigFlags['settings']): ConfigReport => {
    if (readConfig === undefined) throw new AppError('internal', `${path} reads no settings.`)
    report ??= readConfig({ env: io.env, cwd: io.cwd, flags: { home: globals.home, settings } })
    return report
  }

  const context: Context = {
    ...call,
    configReport: () => read(undefined),
    config(settings) {
      const { config, errors, warnings } = read(settings)
      const [first] = errors
      if (first !== undefined) {
        throw new AppError('invalid', first, {
          hint: "Run 'lode config list' to see every setting with its origin.",
        })
      }
      for (const warning of warnings.splice(0)) context.note(warning)
      return config
    },
    connection() {
      connection ??= import('./kit/connect').then(({ connect }) => connect(context))
      return connection
    },
    async client(): Promise<Client> {
      return (await context.connection()).client
    },
    answer(value, text, { isExact = false } = {}) {
      if (globals.isJson) io.out(json(value, io.isTerminal))
      else io.out(isExact ? text() : fold(text(), io.columns))
    },
    note(text) {
      if (!globals.isQuiet) io.err(fold(`lode: ${oneLine(text)}\n`, io.errColumns))
    },
  }

  try {
    const code = await command.run(context, input)
    // To-dos come by hooks, which write no such file: each command of the tracker brings it up to date.
    if (connection !== undefined && report?.config.todos.exportToJsonl === true && command.keepsTodosInFile) {
      const { keepTodosInFile } = await import('./todos/todos-in-file')
      await keepTodosInFile(context, input.options as { dir?: string })
    }
    if (signal.aborted && code === undefined) return EXIT.interrupted
    return code ?? EXIT.ok
  } finally {
    await (await connection?.catch(() => undefined))?.close()
  }
}
