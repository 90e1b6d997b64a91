import type { Config } from '../../config/load'
import { AppError, toAppError } from '../../domain/errors'
import type { OptionSpecs, OptionValues } from '../kit/arguments/specs'
import { findServer, overHttp } from '../kit/connect'
import type { Context } from '../kit/context'
import { EXIT } from '../kit/exit-codes'
import { backfillTeller } from '../print/backfill'
import { plural } from '../print/measures'
import { oneLine } from '../print/text'
import { type LISTEN_OPTIONS, listenConfig, showDashboard, startServer } from '../server/start-server'
import { addHooks } from '../setup/add-hooks'

/** What a start may do beside recording. The first screen asks for each. */
export const BEGIN_OPTIONS = {
  hooks: { kind: 'flag', help: 'first add hooks to the agent CLIs that are used here, as lode setup does' },
  'at-login': { kind: 'flag', help: 'start as a service of your user, now and at each login, as lode service does' },
  open: { kind: 'flag', help: 'open the dashboard in your browser' },
} as const satisfies OptionSpecs

export type BeginValues = OptionValues<typeof BEGIN_OPTIONS>

/** Starts recording, here until Ctrl-C or as a service. */
export async function begin(
  context: Context,
  listen: OptionValues<typeof LISTEN_OPTIONS>,
  { hooks, open, 'at-login': atLogin }: BeginValues,
  isWithoutWorker = false,
): Promise<number> {
  const config = listenConfig(context, listen)
  if (hooks) await addAllHooks(context, config)
  if (!atLogin) return await startServer(context, 'up', listen, { opens: open, isWithoutWorker })
  if (Object.values(listen).some((value) => value !== undefined && value !== false))
    throw new AppError('invalid', '--at-login takes no address: the service listens where the settings say.', {
      hint: "Use 'lode config set listen.port N' instead of --port, then --at-login.",
    })
  await startService(context, config, open)
  return context.signal.aborted ? EXIT.interrupted : EXIT.ok
}

/** Hooks for every agent CLI with conversations here. A file that can't be changed is reported, and keeps nothing from starting. */
async function addAllHooks(context: Context, config: Config): Promise<void> {
  const [{ foundAgents }, { setupOf }] = await Promise.all([
    import('../../app/first/found-agents'),
    import('../../app/agents/agent-setup'),
  ])
  const programs = new Set((await foundAgents(config)).flatMap(({ program, hasHooks }) => (hasHooks ? [program] : [])))
  for (const program of programs)
    try {
      const { added, isChanged, file } = await addHooks(context, config, await setupOf(program, config))
      const did = isChanged ? `added ${plural(added.length, 'hook')} to ${file}` : `hooks are in ${file} already`
      context.io.out(`${oneLine(did)}\n  'lode setup ${program} --remove' takes them out\n`)
    } catch (thrown) {
      context.note(`no hooks for ${program}: ${toAppError(thrown).message}`)
    }
}

/** A service answers within a second, unless its machine is very busy. */
const ANSWER_MS = 30_000
const SERVICE_LOOK_MS = 250

async function startService(context: Context, config: Config, opens: boolean): Promise<void> {
  const [{ ownHost }, { installParts, partsOf }] = await Promise.all([
    import('../../app/service/service'),
    import('../../app/service/service-parts'),
  ])
  const { io, signal } = context
  const { file, isChanged } = installParts(config.home, ownHost(io.env), false, partsOf(false))
  io.out(
    `${oneLine(`${isChanged ? 'installed' : 'already installed'}: ${file}`)}\n  'lode service remove' removes it; 'lode service logs' shows its log\n`,
  )
  const until = io.now() + ANSWER_MS
  let server = await findServer(config.home)
  while (server === null && io.now() < until && !signal.aborted) {
    await Bun.sleep(SERVICE_LOOK_MS)
    server = await findServer(config.home)
  }
  if (signal.aborted) return
  if (server === null)
    throw new AppError('unavailable', 'The service was installed, but its server does not answer.', {
      hint: "Run 'lode service logs' to see why.",
    })
  io.out(`${oneLine(`Lodeline runs at ${server.url}`)}\n`)
  if (opens) await showDashboard(context)
  await watchBackfill(context, server.url, config.home)
}

/** Until all is recorded, or Ctrl-C: the service goes on. */
async function watchBackfill(context: Context, url: string, home: string): Promise<void> {
  const { followToken, readToken } = await import('../../api/client/token-file')
  const own = await readToken(home)
  const { client } = await overHttp(context, [url], own === null ? null : followToken(home, own))
  const tell = backfillTeller(context)
  let last = null
  while (!context.signal.aborted) {
    const { collector } = await client.status({ signal: context.signal })
    const now = collector?.backfill ?? null
    if (now === null) break
    tell(now, false)
    last = now
    await Bun.sleep(SERVICE_LOOK_MS)
  }
  if (last !== null) tell({ ...last, filesDone: last.filesTotal, bytesDone: last.bytesTotal }, true)
}
