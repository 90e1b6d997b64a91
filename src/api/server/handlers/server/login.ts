import { kindOf } from '../../../../domain/access/caller-kind'
import type { AuditActor } from '../../../../domain/audit'
import { AppError } from '../../../../domain/errors'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { actorOf } from '../../../../engine/audit/record-act'
import { login } from '../../../contract/operations/login'
import { jsonAnswer } from '../../answers'
import { cookieName, goodCookies, setCookie } from '../../callers/cookie'
import type { Context } from '../../context'
import type { Login, NetworkAccess } from '../../deps'
import { handle } from '../../handler'

/** Where the page takes a code. The code itself stands behind `#` there, which no browser sends or logs. */
const LOGIN_PATH = '/login'

export const makeCode = handle(login.code, async ({ caller }, context) => {
  const { login, access } = entranceOf(context)
  await context.services.audit.record({ act: 'login.code', actor: actorOf(caller), target: null, detail: {} })
  const { code, expiresAt } = login.codes.make()
  return { code, path: LOGIN_PATH, url: access.publicUrl?.() ?? null, expiresAt: new Date(expiresAt).toISOString() }
})

export const logIn = handle(login.enter, async ({ body, caller, request, remote, headers }, context) => {
  const { login, access } = entranceOf(context)
  const { audit } = context.services
  try {
    await context.wrongCodes.try(remote, () => login.codes.use(body.code))
  } catch (refused) {
    // Ten wrong codes within a minute are looked at; what comes after them is no guess, and fills no log.
    if (refused instanceof AppError && refused.code === 'unauthorized')
      await audit.record({ act: 'login.refuse', actor: someone(caller), target: null, detail: {} })
    throw refused
  }
  await audit.record({ act: 'login.enter', actor: someone(caller), target: null, detail: {} })
  const { value, until } = login.cookies.make()
  const cookie = setCookie(nameFor(request, access), value, access.scheme)
  return jsonAnswer({ until: new Date(until).toISOString() }, { ...headers, 'set-cookie': cookie })
})

export const logOut = handle(login.leave, async ({ caller, request, headers }, context) => {
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
  const cleared = setCookie(nameFor(request, access), null, access.scheme)
  return new Response(null, { status: 204, headers: { ...headers, 'set-cookie': cleared } })
})

export const whoAmI = handle(login.me, async ({ caller, agent, given }, { ring, version }) => ({
  kind: kindOf(caller),
  name: agent?.name ?? given?.name ?? null,
  version,
  feedSeq: await ring.head(),
}))

function entranceOf({ access }: Context): { login: Login; access: NetworkAccess } {
  if (access.kind === 'network' && access.login !== undefined) return { login: access.login, access }
  throw new AppError('unavailable', 'No server is running here that a browser could reach.', {
    hint: "Start one with 'lode up'.",
  })
}

/** Who has no token yet. */
const someone = (caller: Caller): AuditActor => ({ kind: 'nobody', name: null, peer: caller.peer ?? null })

/** The guard has seen that the host is ours. */
const nameFor = (request: Request, { scheme }: NetworkAccess): string =>
  cookieName(request.headers.get('host') ?? '', scheme)
