import { kindOf } from '../../../../domain/access/caller-kind'
import type { AuditActor } from '../../../../domain/audit'
import { AppError } from '../../../../domain/errors'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { actorOf } from '../../../../engine/audit/record-act'
import type { MadeLogin } from '../../../../engine/users/logins'
import { login } from '../../../contract/operations/login'
import { jsonAnswer } from '../../answers'
import { goodCookies, setCookie, userCookies } from '../../callers/cookie'
import type { Context } from '../../context'
import type { Login, NetworkAccess } from '../../deps'
import { handle } from '../../handler'
import { LOGIN_PATH } from '../../login-path'

export const makeCode = handle(login.code, async ({ caller }, context) => {
  const { login, access } = entranceOf(context)
  const url = access.publicUrl?.() ?? null
  // A person's code logs in as the person.
  if (caller.user !== undefined) return { ...(await codeOf(caller, context)), path: LOGIN_PATH, url }
  await context.services.audit.record({ act: 'login.code', actor: actorOf(caller), target: null, detail: {} })
  const { code, expiresAt } = login.codes.make()
  return { code, path: LOGIN_PATH, url, expiresAt: new Date(expiresAt).toISOString() }
})

async function codeOf(caller: Caller, { services }: Context): Promise<{ code: string; expiresAt: string }> {
  const { code, expiresAt } = await services.users.makeCode(caller)
  return { code, expiresAt }
}

export const logIn = handle(login.enter, async ({ body, caller, request, remote, headers }, context) => {
  const { login } = entranceOf(context)
  const { audit, users } = context.services
  let person: MadeLogin | undefined
  try {
    person = await context.wrongCodes.try(remote, async () =>
      login.codes.use(body.code) ? undefined : await users.enter(body.code, remote),
    )
  } catch (refused) {
    // Ten wrong codes within a minute are looked at; what comes after them is no guess, and fills no log.
    if (refused instanceof AppError && refused.code === 'unauthorized')
      await audit.record({ act: 'login.refuse', actor: someone(caller), target: null, detail: {} })
    throw refused
  }
  if (person !== undefined) {
    const cookie = setCookie(request, person.secret)
    return jsonAnswer({ until: person.until }, { ...headers, 'set-cookie': cookie })
  }
  await audit.record({ act: 'login.enter', actor: someone(caller), target: null, detail: {} })
  const { value, until } = login.cookies.make()
  const cookie = setCookie(request, value)
  return jsonAnswer({ until: new Date(until).toISOString() }, { ...headers, 'set-cookie': cookie })
})

export const logOut = handle(login.leave, async ({ caller, remote, request, headers }, context) => {
  const { login, access } = entranceOf(context)
  const cookies = goodCookies(request, access)
  for (const value of cookies) login.cookies.end(value)
  if (cookies.length > 0)
    await context.services.audit.record({
      act: 'login.leave',
      actor: { ...someone(caller), kind: 'operator' },
      target: null,
      detail: {},
    })
  for (const value of userCookies(request)) await context.services.users.leave(value, remote)
  context.who.lookAgain()
  const cleared = setCookie(request, null)
  return new Response(null, { status: 204, headers: { ...headers, 'set-cookie': cleared } })
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

function entranceOf({ access }: Context): { login: Login; access: NetworkAccess } {
  if (access.kind === 'network' && access.login !== undefined) return { login: access.login, access }
  throw new AppError('unavailable', 'No server is running here that a browser could reach.', {
    hint: "Start one with 'lode up'.",
  })
}

/** Who has no token yet. */
const someone = (caller: Caller): AuditActor => ({ kind: 'nobody', name: null, peer: caller.peer ?? null })
