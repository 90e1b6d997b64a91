import type { Served } from '../../app/service/service-plan'
import { namedServers } from '../kit/connect'
import type { Context } from '../kit/context'
import { usageError } from '../kit/arguments/parse-args'

/** Which service a command means. */
export const workerFlag = {
  kind: 'flag',
  help: 'the service of a worker alone, for a server elsewhere',
} as const

/** Without words: it is only asked about, ended or removed. */
export const servedOf = (isWorker: boolean): Served => (isWorker ? { kind: 'worker', words: [] } : { kind: 'server' })

/** @throws `invalid` no server is named */
export function servedWith(context: Context, isWorker: boolean, name: string | undefined): Served {
  if (!isWorker) return { kind: 'server' }
  const servers = namedServers(context)
  if (servers === null)
    throw usageError(context.path)('--worker needs the server that it takes tasks from: add --server URL.')
  return { kind: 'worker', words: ['--server', servers.join(','), ...(name === undefined ? [] : ['--name', name])] }
}
