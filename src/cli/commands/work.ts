import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { connectServer } from '../connect'
import type { Context } from '../context'
import { EXIT } from '../exit-codes'
import { usageError } from '../parse-args'
import { homeFlag } from '../start-server'
import { oneLine } from '../text'

/** What a worker's runs have to end in when it is asked to end. */
const END_MS = 15_000

export const command = defineCommand({
  summary: "Start a worker: takes tasks of a server and runs the agent's CLI, until Ctrl-C",
  details: [
    "'lode up' includes one; this starts another, here or for a server elsewhere (--server URL). Its name is its identity: started",
    'again under it, it goes on with what it left. Ctrl-C or SIGTERM pause what runs, and it continues with the next start.',
  ].join('\n'),
  options: {
    token: { kind: 'text', value: 'TOKEN', help: "the server's token; others can see it in the list of processes" },
    'token-file': {
      kind: 'text',
      value: 'FILE',
      complete: 'file',
      help: "the server's token in a file (default: $LODELINE_TOKEN, or this installation's own)",
    },
    name: {
      kind: 'text',
      value: 'NAME',
      help: "unique among all workers (default: the setting worker.name, this host's name)",
    },
    concurrency: {
      kind: 'number',
      short: 'c',
      value: 'N',
      min: 1,
      max: 100,
      help: 'tasks at once (default: the setting worker.concurrency)',
    },
    capability: {
      kind: 'text',
      value: 'X',
      isRepeated: true,
      help: 'what it has that tasks may ask for (default: the setting worker.capabilities)',
    },
  },
  hasJson: false,
  examples: [
    { line: 'lode work --name second --concurrency 4', does: 'another worker for the server that runs here' },
    { line: 'lode work --server https://lode.example --token-file token', does: 'for a server elsewhere' },
    { line: 'lode work --capability gpu --capability docker', does: 'takes tasks that ask for these, too' },
  ],
  async run(context, { options }) {
    const config = context.config()
    const connection = await connectServer(context, tokenOf(context, options.token, options['token-file']))
    if (connection === null) {
      throw new AppError('unavailable', 'No server runs here that could give work.', {
        hint: "Start one with 'lode up', which includes a worker, or name one with --server URL.",
      })
    }
    const [{ runWorker }, { createLogger }, { liveConfig }, { settingsNews }] = await Promise.all([
      import('../../app/worker'),
      import('../../util/log'),
      import('../../config/live'),
      import('../../app/settings-news'),
    ])
    const log = createLogger({
      file: join(config.home, 'log', 'lode.log'),
      level: config.log.level,
      terminalLevel: config.log.level === 'debug' ? 'debug' : 'warn',
    })
    const sources = { env: context.io.env, cwd: context.io.cwd, flags: homeFlag(context) }
    const live = liveConfig(config, sources, settingsNews(log))
    const worker = await runWorker(live.config, {
      onSettings: live.onChange,
      serverUrl: connection.url,
      token: connection.token ?? '',
      name: options.name,
      concurrency: options.concurrency,
      capabilities: options.capability.length === 0 ? undefined : options.capability,
      env: context.io.env,
      log,
      signal: context.signal,
    })
    context.io.out(`${oneLine(`worker ${worker.name} (${worker.agentId}) takes tasks of ${connection.url}`)}\n`)
    try {
      await Promise.race([worker.done, aborted(context.signal)])
    } finally {
      if (context.signal.aborted) context.note('ending: what runs is paused and continues with the next start')
      live.stop()
      await worker.stop({ deadlineMs: END_MS })
      log.close()
    }
    return EXIT.ok
  },
})

function tokenOf(context: Context, token: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return token
  if (token !== undefined) throw usageError(context.path)('--token and --token-file exclude one another.')
  const path = resolve(context.io.cwd, file)
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (/^[\x21-\x7e]{1,500}$/.test(text)) return text
  } catch (error) {
    throw new AppError('invalid', `--token-file can't be read: ${(error as Error).message}.`)
  }
  throw new AppError('invalid', `${path} holds no token.`)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
