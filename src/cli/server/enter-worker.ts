import { hostname } from 'node:os'
import { type KeptToken, keepToken, keptTokens } from '../../api/client/kept-tokens'
import { AppError } from '../../domain/errors'
import { usageError } from '../kit/arguments/parse-args'
import { namedServers, overHttp } from '../kit/connect'
import type { Context } from '../kit/context'

interface EnterOptions {
  code?: string | undefined
  name?: string | undefined
}

/**
 * Exchanges an enrollment code for the token of its worker, and keeps that for the next start.
 *
 * @throws `unauthorized` the code is wrong, used or too old · `invalid` no server is named, or the code is another worker's
 */
export async function enter(
  context: Context,
  { code = '', name }: EnterOptions,
  given: string | undefined,
): Promise<KeptToken> {
  const fail = usageError(context.path)
  const servers = namedServers(context)
  if (servers === null) throw fail('--code needs the server that it is for: add --server URL.')
  if (given !== undefined) throw fail('Use either --code or a token, not both.')
  const { home } = context.config()
  const { ensureHome, hostIdentity, hostKey } = await import('../../app/files/home')
  ensureHome(home)
  const { client } = await overHttp(context, servers, null)
  const machine = { hostname: hostname(), hostName: hostIdentity(home).name, hostKey: hostKey(home) }
  const entered = await client.workers.enter({ code, ...machine }, { signal: context.signal })
  const kept = { server: servers[0], name: entered.name, token: entered.token }
  // Before anything else can fail: the code is used up.
  keepToken(home, kept)
  if (name !== undefined && name !== entered.name)
    throw new AppError('invalid', `The code is for the worker ${entered.name}, not for ${name}.`, {
      hint: 'The token is kept. Start the worker again without --code and --name.',
    })
  return kept
}

/**
 * The token that a worker of this machine has for the named server. One that was given goes before it.
 *
 * @returns `null` = there is none
 * @throws `invalid` several workers of this machine have one, and none of them is named
 */
export function keptFor(context: Context, name: string | undefined, given: string | undefined): KeptToken | null {
  const servers = namedServers(context)
  if (servers === null || given !== undefined || context.io.env.LODELINE_TOKEN) return null
  const kept = keptTokens(context.config().home, servers).filter((one) => name === undefined || one.name === name)
  if (kept.length > 1)
    throw usageError(context.path)(
      `Several workers of this machine are enrolled at ${servers.join(', ')}; name one with --name: ${kept.map((one) => one.name).join(', ')}.`,
    )
  return kept[0] ?? null
}
