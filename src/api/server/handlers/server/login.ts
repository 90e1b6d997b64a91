import { kindOf } from '../../../../domain/access/caller-kind'
import { AppError } from '../../../../domain/errors'
import { login } from '../../../contract/operations/login'
import { jsonAnswer } from '../../answers'
import { cookieName, goodCookies, setCookie } from '../../callers/cookie'
import type { Context } from '../../context'
import type { Login, NetworkAccess } from '../../deps'
import { handle } from '../../handler'

/** Where the page takes a code. The code itself stands behind `#` there, which no browser sends or logs. */
const LOGIN_PATH = '/login'

export const makeCode = handle(login.code, (_call, context) => {
  const { login, access } = entranceOf(context)
  const { code, expiresAt } = login.codes.make()
  return { code, path: LOGIN_PATH, url: access.publicUrl?.() ?? null, expiresAt: new Date(expiresAt).toISOString() }
})

export const logIn = handle(login.enter, async ({ body, request, remote, headers }, context) => {
  const { login, access } = entranceOf(context)
  await context.wrongCodes.try(remote, () => login.codes.use(body.code))
  const { value, until } = login.cookies.make()
  const cookie = setCookie(nameFor(request, access), value, access.scheme)
  return jsonAnswer({ until: new Date(until).toISOString() }, { ...headers, 'set-cookie': cookie })
})

export const logOut = handle(login.leave, ({ request, headers }, context) => {
  const { login, access } = entranceOf(context)
  for (const value of goodCookies(request, access)) login.cookies.end(value)
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

/** The guard has seen that the host is ours. */
const nameFor = (request: Request, { scheme }: NetworkAccess): string =>
  cookieName(request.headers.get('host') ?? '', scheme)
