import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../api/client/client'
import { httpTransport } from '../api/client/http-transport'
import { ensureToken } from '../api/client/token-file'
import type { BackfillProgress } from '../collector/options'
import { liveConfig } from '../config/live'
import { type Config, type ConfigSources, readConfig } from '../config/load'
import type { DemoOptions } from '../demo/demo'
import { defaultHarness, harnesses } from '../harness/registry'
import { shortPath } from '../util/files/short-path'
import { createLogger, type Logger } from '../util/log'
import { VERSION } from '../util/version'
import { findOtherCli } from './agents/other-cli'
import { runnableClis } from './agents/runnable-clis'
import { ownSessionsText } from './first/own-sessions'
import { followedRoots } from './followed'
import { logSettingsChanges } from './log-settings-changes'
import type { Certificate } from './server/listeners'
import { type RunningServer, startServer } from './server/server'

export interface RunOptions {
  /** Listen beyond this machine, in the clear. */
  isInsecureAllowed?: boolean
  /** Serve HTTPS. */
  certificate?: Certificate
  /** Leaves the tasks of this machine to `lode work`, whose runs go on when this server restarts. */
  isWithoutWorker?: boolean
  /** How to call Lodeline from where the person stands, e.g. `bin/lode`. Default: `lode`. */
  program?: string
  /** Where the settings came from: a change there is followed. */
  sources?: ConfigSources
  /** Ends the server. */
  signal: AbortSignal
  /** Where lines for the person go. Default: standard output. */
  print?: (text: string) => void
  /** Called once, when the server answers. */
  onStarted?: (url: string) => void
  /** Hears of the files that were there at the start: again and again while they are recorded, and once when they are. */
  onBackfill?: (progress: BackfillProgress, isDone: boolean) => void
}

/** How the demonstration is shown; see `DemoOptions`. */
export interface DemoView extends Pick<DemoOptions, 'drawTree' | 'drawTasks' | 'isTty' | 'program' | 'pace'> {
  /** End after the proof instead of staying up. */
  isBrief: boolean
  /** Shows an address in the person's browser, by way of a page in `home`; `false` where that can't be. */
  openPage?: (url: string, home: string) => Promise<boolean>
}

/**
 * The demonstration: Lodeline on a fresh record in a folder of its own, the real agent CLI with a scripted model, and the proof.
 * Stays up to be looked at, then removes its folder. Exit code 1 when a check failed.
 */
export async function runDemonstration(config: Config, view: DemoView, options: RunOptions): Promise<number> {
  const print = options.print ?? ((text: string) => process.stdout.write(text))
  const home = mkdtempSync(join(tmpdir(), 'lode-demo-'))
  const claudeRoot = join(home, 'claude')
  const { OTHER_HOME } = await import('../demo/carry-act')
  const other = await findOtherCli(config, process.env, OTHER_HOME)
  const otherRoot = join(home, 'other')
  const settings: Config = {
    ...config,
    home,
    databaseUrl: null,
    blobs: null,
    listen: { ...config.listen, port: config.listen.port === DEFAULT_PORT ? 0 : config.listen.port },
    agents: Object.fromEntries(
      harnesses().map((each) => [
        each.name,
        {
          homes: each === defaultHarness() ? [claudeRoot] : each.name === other?.name ? [otherRoot] : [],
          executable: config.agents[each.name]?.executable ?? null,
        },
      ]),
    ),
    collector: { ...config.collector, enabled: true },
  }
  const log = logOf(settings)
  try {
    const server = await startServer({ config: settings, log, isCollecting: true })
    try {
      const token = await ensureToken(home)
      const client = createClient(httpTransport({ token, origin: server.url }), {
        baseUrl: server.url,
        version: VERSION,
      })
      const { drawTree, drawTasks, isTty, program, pace, isBrief } = view
      const { signal } = options
      const { runDemo } = await import('../demo/demo')
      const { startDemoWorker } = await import('../demo/demo-worker')
      const { ok } = await runDemo({
        client,
        home,
        claudeRoot,
        print,
        isTty,
        drawTree,
        drawTasks,
        startWorker: (more) => startDemoWorker(settings, { ...more, serverUrl: server.url, token, log }),
        other: other === null ? null : { cli: other, root: otherRoot },
        program,
        staysUp: !isBrief,
        pace,
        signal,
      })
      const own = await ownSessionsText(config, program)
      if (isBrief && own !== '') print(`\n${own}`)
      if (!isBrief)
        await stayOpen(server, client, { home, claudeRoot, settings, token, log }, { ...view, own }, options)
      return ok ? 0 : 1
    } finally {
      await server.stop()
      log.close()
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Ends the story with the dashboard, where a task waits for the person's leave; until the person ends it. */
async function stayOpen(
  server: RunningServer,
  client: Client,
  stage: { home: string; claudeRoot: string; settings: Config; token: string; log: Logger },
  { program, openPage, own }: DemoView & { own: string },
  options: RunOptions,
): Promise<void> {
  const { home, claudeRoot, settings, token, log } = stage
  const { signal } = options
  const print = options.print ?? ((text: string) => process.stdout.write(text))
  const { playLastAct } = await import('../demo/last-act')
  const { startDemoWorker } = await import('../demo/demo-worker')
  const act = await playLastAct({
    client,
    home,
    claudeRoot,
    startWorker: (more) => startDemoWorker(settings, { ...more, isAsking: true, serverUrl: server.url, token, log }),
    signal,
  })
  try {
    await act.asked
    const { code, path } = await client.login.code()
    const url = `${server.url}${path}#code=${code}`
    const isOpened = (await openPage?.(url, home)) === true
    print(
      `\nThe dashboard shows all of it, and a task there asks for your permission to publish the price list:\n  ${isOpened ? `opened in your browser; again by` : `${url}\n  valid once and for two minutes; for another link run`} ${program} open --home ${home}\n${own}`,
    )
    await aborted(signal)
  } finally {
    await act.stop()
  }
}

/** Server, collector and database on this machine, until told to end. Gives the exit code. */
export async function runUp(config: Config, options: RunOptions): Promise<number> {
  return await run(config, options, true)
}

/** The server alone: for a host on which no agents run. */
export async function runServe(config: Config, options: RunOptions): Promise<number> {
  return await run(config, options, false)
}

async function run(started: Config, options: RunOptions, isCollecting: boolean): Promise<number> {
  const print = options.print ?? ((text: string) => process.stdout.write(text))
  const log = logOf(started)
  const { sources } = options
  const live = sources && liveConfig(started, sources, logSettingsChanges(log))
  const config = live?.config ?? started
  const server = await startServer({
    config,
    log,
    isCollecting,
    ...(live && { onSettings: live.onChange, checkSettings: live.check }),
    ...(sources && { settings: () => readConfig(sources).entries }),
    ...(isCollecting && !options.isWithoutWorker ? { worker: { env: process.env } } : {}),
    ...(options.isInsecureAllowed ? { isInsecureAllowed: true } : {}),
    ...(options.certificate ? { certificate: options.certificate } : {}),
  }).catch((error: unknown) => {
    // A service has no terminal: its log is the only place that says why it does not start.
    log.error('the server did not start', { error })
    log.close()
    throw error
  })
  const worker = isCollecting ? await workerText(config, options.isWithoutWorker === true) : null
  print(welcome(server, config, worker, options.program ?? 'lode'))
  options.onStarted?.(server.url)
  const endTelling = tellOfBackfill(server, options)
  server.ready.then(
    () => log.info('the files found at the start are recorded'),
    (error: unknown) => log.error('the first scan of the files failed', { error }),
  )
  const lost = await Promise.race([aborted(options.signal), server.lost])
  endTelling()
  live?.stop()
  print('stopping: waiting until recording is done\n')
  if (lost) log.error('the server ends', { error: lost })
  await server.stop()
  log.info('ended')
  log.close()
  if (lost) throw lost
  return 0
}

const TELL_MS = 250

/** @returns what ends it; an end before all is recorded is not told of */
function tellOfBackfill(server: RunningServer, { onBackfill }: RunOptions): () => void {
  if (onBackfill === undefined) return () => {}
  let isOver = false
  const tell = (isDone: boolean) => {
    const progress = isOver ? null : server.backfill()
    if (progress !== null) onBackfill(progress, isDone)
  }
  const timer = setInterval(tell, TELL_MS, false)
  const end = () => {
    clearInterval(timer)
    isOver = true
  }
  server.ready.then(
    () => {
      tell(true)
      end()
    },
    // Its log says why.
    end,
  )
  return end
}

/** The port that a demonstration leaves to the user's own server. */
const DEFAULT_PORT = 4655

const logOf = (config: Config): Logger =>
  createLogger({
    file: join(config.home, 'log', 'lode.log'),
    level: config.log.level,
    terminalLevel: config.log.level === 'debug' ? 'debug' : 'warn',
  })

/** @param worker  what runs tasks here; `null` = nothing of this machine is recorded or run */
function welcome(server: RunningServer, config: Config, worker: string | null, program: string): string {
  const following = worker !== null && config.collector.enabled ? `  following  ${foldersText(config)}\n` : ''
  return [
    `Lodeline runs at ${server.url}\n`,
    following,
    worker === null ? '' : `  worker     ${worker}\n`,
    `  record     ${config.databaseUrl === null ? shortPath(config.home, process.env.HOME) : 'PostgreSQL'}\n`,
    `  dashboard  ${server.url}/   (${program} open  opens it, logged in)\n`,
    `  try        ${program}   ${program} session list   ${program} top   (Ctrl-C ends)\n`,
  ].join('')
}

async function workerText(config: Config, isWithoutWorker: boolean): Promise<string> {
  if (isWithoutWorker) return "none in this process; 'lode work' is one"
  if (!config.worker.enabled) return 'off (worker.enabled)'
  const clis = await runnableClis(config, process.env)
  if (clis.length === 0) return 'runs no tasks until an agent CLI is installed here'
  return `runs up to ${config.worker.concurrency} of your tasks at once, with ${clis.join(', ')}`
}

/** Those that are there; the others are waited for. */
function foldersText(config: Config): string {
  const roots = followedRoots(config)
  const there = roots.filter((root) => existsSync(root)).map((root) => shortPath(root, process.env.HOME))
  const awaited = roots.length - there.length
  const rest =
    awaited === 0
      ? []
      : [`${awaited}${there.length > 0 ? ' more' : ''} once ${awaited === 1 ? 'it is' : 'they are'} there`]
  return [...there, ...rest].join(', ')
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
