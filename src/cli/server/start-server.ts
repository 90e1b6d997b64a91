import { resolve } from 'node:path'
import type { Certificate } from '../../app/server/listeners'
import type { Config, ConfigFlags } from '../../config/load'
import { AppError, toAppError } from '../../domain/errors'
import type { OptionSpecs, OptionValues } from '../kit/arguments/specs'
import { findServer } from '../kit/connect'
import type { Context } from '../kit/context'
import { EXIT } from '../kit/exit-codes'
import { OutputClosed } from '../kit/io'
import { programName } from '../kit/program-name'
import { backfillTeller } from '../print/backfill'
import { fold } from '../print/fold'
import { oneLine } from '../print/text'
import { autoInstallHooks } from '../setup/auto-install'

/** Where `up` and `serve` listen; the settings listen.host and listen.port count otherwise. */
export const LISTEN_OPTIONS = {
  host: {
    kind: 'text',
    value: 'ADDRESS',
    help: 'listen on this address (default: listen.host, 127.0.0.1)',
  },
  port: {
    kind: 'number',
    value: 'N',
    min: 0,
    max: 65_535,
    help: 'listen on this port; 0 = any free port (default: listen.port, 4655)',
  },
  'allow-insecure': {
    kind: 'flag',
    help: 'allow an address that other machines can reach without encryption; use it only behind a proxy that encrypts',
  },
  'tls-cert': { kind: 'text', value: 'FILE', help: 'serve HTTPS with this certificate (PEM); needs --tls-key' },
  'tls-key': { kind: 'text', value: 'FILE', help: "the certificate's private key (PEM)" },
} as const satisfies OptionSpecs

type ListenValues = OptionValues<typeof LISTEN_OPTIONS>

/** The settings with what the command's own options say of the address. */
export function listenConfig(context: Context, options: ListenValues): Config {
  return context.config(listenFlags(options))
}

const listenFlags = ({ host, port }: ListenValues): NonNullable<ConfigFlags['settings']> => ({
  ...(host !== undefined && { 'listen.host': host }),
  ...(port !== undefined && { 'listen.port': port }),
})

/** What the command line says of Lodeline's folder. */
export const homeFlag = ({ globals: { home } }: Context): { home?: string } => (home === undefined ? {} : { home })

/** Writes to stdout as long as somebody reads: a server outlives the terminal or pipe that it was started from. */
export function serverPrinter(context: Context): (text: string) => void {
  let isClosed = false
  return (text) => {
    if (isClosed) return
    try {
      context.io.out(fold(text, context.io.columns))
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error
      isClosed = true
    }
  }
}

/** What only `up` has. */
export interface UpValues {
  /** Runs no tasks in this process. */
  isWithoutWorker?: boolean
  /** Shows the dashboard in the person's browser. */
  opens?: boolean
}

/**
 * Runs the server in this process until a signal ends it, unless one runs on this folder already.
 */
export async function startServer(
  context: Context,
  kind: 'up' | 'serve',
  options: ListenValues,
  { opens = false, isWithoutWorker = false }: UpValues = {},
): Promise<number> {
  const config = listenConfig(context, options)
  const running = await findServer(config.home)
  if (running !== null) {
    const { url, pid, version } = running
    context.io.out(`${oneLine(`already running at ${url} (process ${pid}, version ${version})`)}\n`)
    if (opens) await showDashboard(context)
    return EXIT.ok
  }
  if (kind === 'up') await autoInstallHooks(context, config)
  await beFirstProcess()
  const { runServe, runUp } = await import('../../app/up')
  const run = kind === 'serve' ? runServe : runUp
  return run(config, {
    isInsecureAllowed: options['allow-insecure'],
    isWithoutWorker,
    ...certificateOf(context, options),
    program: programName(context.io.cwd),
    sources: {
      env: context.io.env,
      cwd: context.io.cwd,
      flags: { ...homeFlag(context), settings: listenFlags(options) },
    },
    signal: context.signal,
    print: serverPrinter(context),
    ...(kind === 'up' && { onBackfill: backfillTeller(context) }),
    ...(opens && { onStarted: () => void showDashboard(context) }),
  })
}

/** In a container without an init of its own. Nothing is loaded for it elsewhere. */
export async function beFirstProcess(): Promise<void> {
  if (process.pid === 1) await (await import('../../util/process/first-process')).waitForAdopted()
}

/** Opens the dashboard of the server that runs on this folder. Never fails: a server needs no browser. */
export async function showDashboard(context: Context): Promise<void> {
  try {
    const [{ connectServer }, { openDashboard }] = await Promise.all([
      import('../kit/connect'),
      import('./open-dashboard'),
    ])
    const server = await connectServer(context)
    if (server !== null && (await openDashboard(context, server))) return
    context.note("there is no browser here; 'lode open --print' prints an address for one elsewhere.")
  } catch (thrown) {
    context.note(`couldn't open the dashboard: ${toAppError(thrown).message}`)
  }
}

/** @throws `invalid`  when only one of the two files is named */
function certificateOf(context: Context, options: ListenValues): { certificate?: Certificate } {
  const { 'tls-cert': cert, 'tls-key': key } = options
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) {
    throw new AppError('invalid', 'A certificate needs its private key.', {
      hint: 'Pass both --tls-cert and --tls-key.',
    })
  }
  const absolute = (path: string): string => resolve(context.io.cwd, path)
  return { certificate: { certFile: absolute(cert), keyFile: absolute(key) } }
}
