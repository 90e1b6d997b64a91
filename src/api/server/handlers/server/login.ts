import { kindOf } from '../../../../domain/access/caller-kind'
import type { AuditActor } from '../../../../domain/audit'
import { AppError } from '../../../../domain/errors'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { login } from '../../../contract/operations/access/login'
import { jsonAnswer } from '../../answers'
import { loginCookies, setCookie } from '../../callers/cookie'
import type { Context } from '../../context'
import type { NetworkAccess } from '../../deps'
import { handle } from '../../handler'
import { LOGIN_PATH } from './login-path'

export const makeCode = handle(login.code, async ({ caller }, context) => {
  const url = entranceOf(context).publicUrl?.() ?? null
  // A person's code logs in as the person.
  const { code, expiresAt } = await context.services.users.makeCode(caller)
  return { code, path: LOGIN_PATH, url, expiresAt }
})

export const logIn = handle(login.enter, async ({ body, caller, request, remote, headers }, context) => {
  entranceOf(context)
  const { audit, users } = context.services
  try {
    const { secret, until } = await context.wrongCodes.try(remote, () => users.enter(body.code, remote))
    return jsonAnswer({ until }, { ...headers, 'set-cookie': setCookie(request, secret) })
  } catch (refused) {
    // Ten wrong codes within a minute are looked at; what comes after them is no guess, and fills no log.
    if (refused instanceof AppError && refused.code === 'unauthorized')
      await audit.record({ act: 'login.refuse', actor: someone(caller), target: null, detail: {} })
    throw refused
  }
})

export const logOut = handle(login.leave, async ({ remote, request, headers }, context) => {
  entranceOf(context)
  for (const value of loginCookies(request)) await context.services.users.leave(value, remote)
  context.who.lookAgain()
  return new Response(null, { status: 204, headers: { ...headers, 'set-cookie': setCookie(request, null) } })
})

export const whoAmI = handle(login.me, async ({ caller, agent, given }, { ring, version, store }) => {
  const feedSeq = await ring.head()
  const kind = kindOf(caller)
  if (caller.user !== undefined) {
    const role = kind === 'viewer' || kind === 'approver' ? kind : 'admin'
    return { kind, name: caller.user.name, role, hasPeople: true, version, feedSeq } as const
  }
  const isOperator = kind === 'operator' && given === null
  const hasPeople = isOperator && (await store.users.hasAny()) ? ({ hasPeople: true } as const) : {}
  return { kind, name: agent?.name ?? given?.name ?? null, ...hasPeople, version, feedSeq }
})

function entranceOf({ access }: Context): NetworkAccess {
  if (access.kind === 'network' && access.login !== undefined) return access
  throw new AppError('unavailable', 'No server is running here that a browser could reach.', {
    hint: "Start one with 'lode up'.",
  })
}

/** A caller without a token. */
const someone = (caller: Caller): AuditActor => ({ kind: 'nobody', name: null, peer: caller.peer ?? null })
