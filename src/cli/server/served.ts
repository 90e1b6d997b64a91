import type { ServiceParts } from '../../app/service/service-parts'
import { usageError } from '../kit/arguments/parse-args'
import { namedServers } from '../kit/connect'
import type { Context } from '../kit/context'

/** Which service a command means. */
export const workerFlag = {
  kind: 'flag',
  help: 'the service of a worker alone, for a server elsewhere',
} as const

/** A worker that takes tasks from the named server. @throws `invalid` none is named */
export function workerElsewhere(context: Context, name: string | undefined): ServiceParts {
  const servers = namedServers(context)
  if (servers === null)
    throw usageError(context.path)('--worker needs the server that it takes tasks from: add --server URL.')
  const words = ['--server', servers.join(','), ...(name === undefined ? [] : ['--name', name])]
  return { main: { kind: 'worker', words }, runs: null }
}
