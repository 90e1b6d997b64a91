import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import { defineCommand } from '../../kit/command'
import { connectServer, namedServers, tokenNow } from '../../kit/connect'
import type { Context } from '../../kit/context'
import { EXIT } from '../../kit/exit-codes'
import { oneLine } from '../../print/text'
import { enter, keptFor } from '../../server/enter-worker'
import { beFirstProcess, homeFlag } from '../../server/start-server'

/** What a worker's runs have to end in when it is asked to end. */
const END_MS = 15_000

export const command = defineCommand({
  summary: "Start a worker that runs a server's tasks until Ctrl-C",
  details: [
    "'lode up' includes a worker; this starts another, for the server here or for a remote one (--server URL). The name identifies the",
    'worker: restarted under the same name, it continues its tasks. Ctrl-C or SIGTERM pauses its runs until the next start.',
    "To work for a server elsewhere, get a code there with 'lode worker enroll NAME' and pass it once with --code. The worker keeps",
    'the token that it gets, and needs no code to start again.',
  ].join('\n'),
  options: {
    code: { kind: 'text', value: 'CODE', help: "a code of 'lode worker enroll' on the server; needed once" },
    'token-file': {
      kind: 'text',
      value: 'FILE',
      complete: 'file',
      help: "a file with a token for the server (default: $LODELINE_TOKEN, the kept token, or this installation's own)",
    },
    name: {
      kind: 'text',
      value: 'NAME',
      help: "a name unique among all workers (default: worker.name, else this host's name)",
    },
    concurrency: {
      kind: 'number',
      short: 'c',
      value: 'N',
      min: 1,
      max: 100,
      help: 'how many tasks run at once (default: worker.concurrency)',
    },
    capability: {
      kind: 'text',
      value: 'X',
      isRepeated: true,
      help: 'a capability that tasks may require (default: worker.capabilities)',
    },
    'as-service': {
      kind: 'flag',
      help: 'as a service starts it: it waits for the server here, and ends once nothing runs when the service is to restart',
    },
  },
  hasJson: false,
  examples: [
    { line: 'lode work --name second --concurrency 4', does: 'start another worker for the server running here' },
    { line: 'lode work --server https://lode.example --code 7KQM-2F9D-XW4C', does: 'work for a remote server' },
    { line: 'lode work --capability gpu --capability docker', does: 'also take tasks that require these capabilities' },
  ],
  async run(context, { options }) {
    const config = context.config()
    await beFirstProcess()
    const given = tokenOf(context, options['token-file'])
    const kept =
      options.code === undefined ? keptFor(context, options.name, given) : await enter(context, options, given)
    const isOwn = namedServers(context) === null
    const isAwaiting = options['as-service'] && isOwn
    const [{ runWorker }, { createLogger }, { liveConfig }, { logSettingsChanges: settingsNews }, { keepWorker }] =
      await Promise.all([
        import('../../../app/worker'),
        import('../../../util/log'),
        import('../../../config/live'),
        import('../../../app/log-settings-changes'),
        import('../../../app/service/keep-worker'),
      ])
    const log = createLogger({
      file: join(config.home, 'log', 'lode.log'),
      level: config.log.level,
      terminalLevel: config.log.level === 'debug' ? 'debug' : 'warn',
    })
    const sources = { env: context.io.env, cwd: context.io.cwd, flags: homeFlag(context) }
    const live = liveConfig(config, sources, settingsNews(log))
    const start = async () => {
      const connection = await connectServer(context, given ?? kept?.token)
      if (connection === null)
        throw new AppError('unavailable', 'No server is running here to take tasks from.', {
          hint: "Start one with 'lode up', which includes a worker, or name one with --server URL.",
        })
      const { urls } = connection
      const worker = await runWorker(live.config, {
        onSettings: live.onChange,
        serverUrls: urls,
        ...(isAwaiting && {
          transport: (await import('../../../app/service/own-server')).ownServer(config.home, urls[0]),
        }),
        token: tokenNow(connection),
        name: kept?.name ?? options.name,
        concurrency: options.concurrency,
        capabilities: options.capability.length === 0 ? undefined : options.capability,
        env: context.io.env,
        log,
        signal: context.signal,
      })
      context.io.out(`${oneLine(`worker ${worker.name} (${worker.agentId}) takes tasks from ${urls.join(', ')}`)}\n`)
      return worker
    }
    const worker = keepWorker(start, { log, isTriedAgain: isAwaiting, isOff: isAwaiting && !config.worker.enabled })
    const { followRestart } = await import('../../../app/service/worker-restart')
    const endFollowing = options['as-service'] ? followRestart(config.home, isOwn ? 'runs' : 'worker', worker) : null
    try {
      await Promise.race([worker.done, aborted(context.signal)])
    } finally {
      if (context.signal.aborted) context.note('stopping: running tasks are paused and continue at the next start')
      live.stop()
      await worker.stop({ deadlineMs: END_MS })
      endFollowing?.()
      log.close()
    }
    return EXIT.ok
  },
})

function tokenOf(context: Context, file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const path = resolve(context.io.cwd, file)
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (/^[\x21-\x7e]{1,500}$/.test(text)) return text
  } catch (error) {
    throw new AppError('invalid', `Can't read --token-file: ${(error as Error).message}.`)
  }
  throw new AppError('invalid', `Token file ${path} is empty.`)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
