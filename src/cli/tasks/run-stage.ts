import { hostname } from 'node:os'
import { join } from 'node:path'
import { ensureToken } from '../../api/client/token-file'
import type { RunningServer } from '../../app/server/server'
import { type LiveConfig, liveConfig } from '../../config/live'
import type { Config } from '../../config/load'
import { AppError, isAppError } from '../../domain/errors'
import { isFinal, SHOWN_TASK_STATUSES } from '../../domain/task/task'
import type { Logger } from '../../util/log'
import type { RunningWorker } from '../../worker/options'
import { connectServer, overHttp, tokenNow } from '../kit/connect'
import type { Context, ServerConnection } from '../kit/context'

/** A server and a worker of this process's own, for one task or those below it. */
export interface RunStage {
  connection: ServerConnection
  worker: RunningWorker
  /** Pauses what still runs, then ends the worker and a private server. Never fails. */
  close(): Promise<void>
}

export interface StageOptions {
  /** Tasks that the worker works on at once. Default 1. */
  concurrency?: number
}

/** What a run here has left to end in when it is asked to. */
const END_MS = 10_000

/**
 * The server that runs already, or a private one for the time of the run, and a worker in this process that takes only what is
 * assigned to it.
 *
 * @throws `unavailable`  the named server is away; the errors of a start
 */
export async function openRunStage(context: Context, { concurrency = 1 }: StageOptions = {}): Promise<RunStage> {
  const config = context.config()
  const [{ createLogger }, { logSettingsChanges }] = await Promise.all([
    import('../../util/log'),
    import('../../app/log-settings-changes'),
  ])
  // Beside the live view only what went wrong has a place.
  const log = createLogger({
    file: join(config.home, 'log', 'lode.log'),
    level: config.log.level,
    terminalLevel: context.globals.isQuiet ? 'off' : 'error',
  })
  const { home } = context.globals
  const { env, cwd } = context.io
  // A rule that the person gives during the run counts for the rest of it.
  const live = liveConfig(config, { env, cwd, flags: home === undefined ? {} : { home } }, logSettingsChanges(log))
  const served = await connectServer(context)
  const own = served === null ? await startPrivate(config, log) : null
  try {
    const connection = served ?? (await overHttp(context, [own?.url ?? ''], await ensureToken(config.home)))
    const worker = await startOwnWorker(context, live, connection, log, concurrency)
    return {
      connection,
      worker,
      async close() {
        await worker.stop({ deadlineMs: END_MS })
        await own?.stop()
        live.stop()
        log.close()
      },
    }
  } catch (error) {
    await own?.stop()
    live.stop()
    log.close()
    throw error
  }
}

/** Loopback, any free port; it is found by other commands like any other server. */
async function startPrivate(config: Config, log: Logger): Promise<RunningServer> {
  const { startServer } = await import('../../app/server/server')
  const settings: Config = { ...config, listen: { host: '127.0.0.1', port: 0 } }
  return startServer({ config: settings, log, isCollecting: true })
}

/** Names tried: more runs than these at once on one machine is a mistake. */
const MAX_NAMES = 64

/**
 * A worker under the first name that is free. Names are used again, so that the list of agents does not grow with each run, but not
 * one that still has a task: that of a run that was killed, which is not this run's.
 */
async function startOwnWorker(
  context: Context,
  { config, onChange }: LiveConfig,
  connection: ServerConnection,
  log: Logger,
  concurrency: number,
): Promise<RunningWorker> {
  const { runWorker } = await import('../../app/worker')
  for (let n = 1; n <= MAX_NAMES; n++) {
    const name = `${hostname()}-run${n === 1 ? '' : `-${n}`}`
    if (!(await isNameFree(connection, name))) continue
    try {
      return await runWorker(config, {
        serverUrls: connection.urls,
        token: tokenNow(connection),
        name,
        concurrency,
        capabilities: config.worker.capabilities,
        isAssignedOnly: true,
        onSettings: onChange,
        env: context.io.env,
        log,
      })
    } catch (error) {
      // Another run took the name meanwhile.
      if (!isAppError(error) || error.code !== 'conflict') throw error
    }
  }
  throw new AppError('conflict', `${MAX_NAMES} runs are already active on this machine.`, {
    hint: "Queue the task with 'lode task create' instead.",
  })
}

const OPEN = SHOWN_TASK_STATUSES.filter((each) => !isFinal(each))

async function isNameFree({ client }: ServerConnection, name: string): Promise<boolean> {
  try {
    const { agent } = await client.agents.get(name)
    if (agent.status === 'online') return false
    return (await client.tasks.list({ agentId: agent.id, status: OPEN, limit: 1 })).tasks.length === 0
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found') return true
    throw error
  }
}
