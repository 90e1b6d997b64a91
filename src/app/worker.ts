import { resolve } from 'node:path'
import type { Transport } from '../api/client/call'
import { createClient } from '../api/client/client'
import { transportOf } from '../api/client/several-servers'
import { type Collector, createCollector } from '../collector/collector'
import type { CollectorSource } from '../collector/options'
import { createRemoteRecorder, type RemoteRecorder } from '../collector/remote-recorder'
import { RowFollower, type RowSource } from '../collector/row-follower'
import type { LiveConfig } from '../config/live'
import type { Config } from '../config/load'
import { readOwnPrices } from '../config/price-file'
import type { JoinAnswer } from '../domain/task/worker-protocol'
import { defaultHarness, harnesses, harnessNamed } from '../harness/registry'
import { lodeCommand } from '../util/lode-command'
import type { Logger } from '../util/log'
import { passProxyBy } from '../util/net/pass-proxy-by'
import { VERSION } from '../util/version'
import { startServerRelay } from '../worker/link/server-relay'
import type { RunningWorker, WorkerClient } from '../worker/options'
import { startWorker } from '../worker/worker'
import { executableOf, runOf } from './agents/agent-run'
import { ensureHome, hostIdentity, hostKey } from './files/home'
import { journalRoots, rowSources } from './files/rows-folder'

export interface RunWorkerOptions {
  /** Where the server is, as this process and its runs reach it; several are servers of one record, any of which will do. */
  serverUrls: readonly [string, ...string[]]
  /** Leads to those servers. Where the first address may change meanwhile; left out: it does not. */
  transport?: (token: string | null) => Transport
  /** The operator's token, or one with which an enrolled worker joins, as it is now. */
  token(): string
  /** Instead of the configured ones. */
  name?: string | undefined
  concurrency?: number | undefined
  capabilities?: readonly string[] | undefined
  /** Takes only what is assigned to it: `lode run`. */
  isAssignedOnly?: boolean
  /** The environment that runs get what is fit for them of. */
  env: Readonly<Record<string, string | undefined>>
  log: Logger
  /** Reports new settings, where `config` follows them. */
  onSettings?: LiveConfig['onChange']
  /** Gives up a start that waits for the server. */
  signal?: AbortSignal
}

/**
 * Starts a worker of this machine against a server anywhere. Where the server does not follow this machine's agents itself, what
 * they write is sent to it while the worker runs.
 *
 * @throws `conflict` another process has this worker's name; `unauthorized` the server refuses the token
 */
export async function runWorker(config: Config, options: RunWorkerOptions): Promise<RunningWorker> {
  ensureHome(config.home)
  readOwnPrices(config.home)
  const { serverUrls, token, env, log } = options
  const host = hostIdentity(config.home)
  for (const url of serverUrls) passProxyBy(url)
  const [serverUrl] = serverUrls
  const transport = options.transport ?? ((presented) => transportOf(serverUrls, presented))
  const connect = (presented: string): WorkerClient =>
    createClient(transport(presented), { baseUrl: serverUrl, version: VERSION })
  // The agent's CLI, its tools and hooks know one address, at which somebody is while they run.
  const relay = startServerRelay(
    options.transport?.(null) ?? transportOf(serverUrls, null, { isCareful: true }),
    serverUrl,
  )
  let sending: Collector | undefined
  let recorder: RemoteRecorder | undefined
  const runnable = harnesses().filter(({ run }) => run !== null)
  const first = config.worker.agent === null ? defaultHarness() : harnessNamed(config.worker.agent)
  let followingRows: RowFollower | undefined
  const worker = await startWorker({
    connect,
    token,
    serverUrl: relay.url,
    home: config.home,
    name: options.name ?? config.worker.name,
    capacity: () => ({
      capabilities: options.capabilities ?? config.worker.capabilities,
      concurrency: options.concurrency ?? config.worker.concurrency,
    }),
    ...(options.onSettings && { onSettings: options.onSettings }),
    isAssignedOnly: options.isAssignedOnly === true,
    hostname: host.hostname,
    hostName: host.name,
    hostKey: hostKey(config.home),
    settings: config.worker,
    env,
    lode: lodeCommand(),
    log,
    harness: await runOf(first),
    others: runnable.filter((each) => each !== first).map((each) => () => runOf(each)),
    harnessOf: harnessNamed,
    runOf: (agent) => runOf(harnessNamed(agent)),
    executableOf: (agent) => executableOf(config, agent),
    toolsOf: async (leads) => (await import('../mcp/server')).listedTools('attempt', leads),
    rootOf: (agent, env) => harnessNamed(agent).root(env),
    ...(options.signal && { signal: options.signal }),
    async onJoin(answer, client) {
      // Each join gives a new token.
      recorder?.use(client)
      const { sources, rows } = await unfollowed(config.home, env, answer)
      if (sending !== undefined || sources.length === 0) return
      recorder = createRemoteRecorder({ client, host })
      sending = createCollector({
        sources,
        recorder,
        hookJournal: null,
        log,
        rescanMs: config.collector.rescanSeconds * 1_000,
      })
      await sending.start()
      followingRows = new RowFollower(rows, log)
      followingRows.start()
    },
    onRestored() {
      recorder?.forget()
      sending?.recordAnew()
    },
  }).catch(async (error: unknown) => {
    await relay.stop()
    throw error
  })
  const stopSending = async (): Promise<void> => {
    await followingRows?.stop()
    await sending?.stop()
    sending = undefined
    await relay.stop()
  }
  return {
    ...worker,
    async stop(stopOptions) {
      await worker.stop(stopOptions)
      await stopSending()
    },
    done: worker.done.finally(stopSending),
  }
}

/** The folders that runs of this worker may write to, but for those that the server follows on this very machine. */
async function unfollowed(
  home: string,
  env: RunWorkerOptions['env'],
  { followedRoots }: JoinAnswer,
): Promise<{ sources: CollectorSource[]; rows: RowSource[] }> {
  const followed = new Set(followedRoots.map((each) => resolve(each)))
  const sources: CollectorSource[] = []
  const rows: RowSource[] = []
  for (const harness of harnesses()) {
    const root = harness.root(env)
    if (harness.run === null || followed.has(resolve(root))) continue
    sources.push({ files: await harness.files(), roots: journalRoots(home, harness, [root]) })
    rows.push(...(await rowSources(home, harness, [root])))
  }
  return { sources, rows }
}
