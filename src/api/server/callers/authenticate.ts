import { isNamed } from '../../../domain/access/access'
import { CALLER_KINDS, CALLER_NOUNS, type CallerKind, kindOf } from '../../../domain/access/caller-kind'
import { AppError, isAppError } from '../../../domain/errors'
import type { AgentId, AttemptId, TaskId } from '../../../domain/ids'
import type { Store } from '../../../domain/store'
import type { AgentRow } from '../../../domain/task/task-store'
import type { Caller } from '../../../domain/task/worker-protocol'
import type { GivenToken, OwnedToken } from '../../../domain/token/token-store'
import type { UserRole } from '../../../domain/user/user'
import { sha256, sha256Hex } from '../../../util/crypto'
import type { Operation } from '../../contract/operation'
import type { Access } from '../deps'
import { loginCookies } from './cookie'
import { givenToken, isLogin, isOperatorLogin, joiningAgent, mustBeEnrolled } from './given-tokens'
import { guardCookie } from './guard-request'
import { RememberedCallers } from './remembered-callers'

/** The caller that a token belongs to. */
export interface Identity {
  caller: Caller
  /** The agent of a lead's or a worker's token. */
  agent: AgentRow | null
  /** The token of a person or a program that was given out, or a person's login; `null` = any other, or the operator's browser. */
  given: GivenToken | null
  /** By the token that an enrolled worker's machine keeps: it may only join. */
  isJoining: boolean
}

type AttemptCaller = Extract<Caller, { kind: 'attempt' }>
type Taken = Pick<Operation, 'access' | 'givesAccess' | 'isJoining'>

export interface Authenticator {
  /** @throws `unauthorized` the same way for no token and a wrong one, `forbidden` for a caller that the operation does not take */
  identify(request: Request, operation: Taken): Identity | Promise<Identity>
  /**
   * The caller as the token was looked up some time ago, for an operation whose unit of work proves it: see `RememberedToken`.
   * `undefined` = nothing is remembered, or the operation is another or does not take such a caller.
   */
  recall(request: Request, operation: Operation): Identity | undefined
  /** A run of the agent gets this token just now. */
  gave(token: string, run: Omit<AttemptCaller, 'kind'>): void
  /** The same agent, looked up again; `null` once its token is no longer valid. */
  refresh(request: Request): Promise<AgentRow | null>
  /** Whether the request would be let in now: for streams, which outlast a token. */
  isStillGood(request: Request, as: Identity): Promise<boolean>
  /** Has streams look at once whether their callers are still let in, and stop that by calling the result. */
  onChange(look: () => void): () => void
  /** Somebody's access was changed or ended just now. */
  lookAgain(): void
}

const PLAIN = { agent: null, given: null, isJoining: false }
const OPERATOR: Identity = { caller: { kind: 'operator' }, ...PLAIN }

/**
 * Authenticates callers by their tokens alone: no header can claim an identity. Tokens, and the cookies of browsers, are looked up by
 * their sha-256, the only form in the database, for each request: another server over the same database may have ended one. Where there is
 * but one server, it compares the operator's token itself, in constant time.
 *
 * @param remembers  units of work look up tokens too, where told: see `RememberedToken`
 */
export function createAuthenticator(
  access: Access,
  { tasks, tokens }: Pick<Store, 'tasks' | 'tokens'>,
  now: () => number,
  remembers = false,
): Authenticator {
  const looks = new Set<() => void>()
  const remembered = new RememberedCallers<Identity>()
  const keep = (hash: Uint8Array, identity: Identity): Identity => {
    if (remembers) remembered.keep(hexOf(hash), identity)
    return identity
  }

  function identify(request: Request, taken: Taken): Identity | Promise<Identity> {
    if (access.kind === 'in_process') return OPERATOR
    if (taken.access === 'public') return NOBODY
    const token = presentedToken(request)
    if (token === undefined) {
      if (!mayHaveCookie(request)) throw unauthorized()
      return byLogin(request, taken)
    }
    if (!isIssued(token)) {
      const isOperator = access.operatorToken.verify(token)
      if (typeof isOperator === 'boolean') return admit(operatorIf(isOperator), taken)
      return isOperator.then((is) => admit(keep(sha256(token), operatorIf(is)), taken))
    }
    return lookUp(token).then((identity) => admit(identity, taken))
  }

  async function byLogin(request: Request, taken: Taken): Promise<Identity> {
    const identity = await loginOf(request)
    if (identity === undefined) throw unauthorized()
    guardCookie(request)
    return admit(identity, taken)
  }

  /** The person that the request's cookie belongs to; read each time: the login ends when somebody logs out or is removed. */
  async function loginOf(request: Request): Promise<Identity | undefined> {
    if (access.kind === 'network' && access.login === undefined) return undefined
    for (const value of loginCookies(request)) {
      const row = await tokens.byToken(sha256(value))
      if (row !== undefined && isOperatorLogin(row, now())) return OPERATOR
      if (row !== undefined && isLogin(row, now())) return givenIdentity(row)
    }
    return undefined
  }

  async function again(request: Request): Promise<Identity | undefined> {
    if (access.kind === 'in_process') return OPERATOR
    const token = presentedToken(request)
    if (token === undefined) return await loginOf(request)
    return isIssued(token) ? await lookUp(token) : operatorIf(await access.operatorToken.verify(token))
  }

  async function lookUp(token: string): Promise<Identity> {
    const hash = sha256(token)
    // It is kept again when it is found.
    remembered.forget(hexOf(hash))
    const identity = await identityOf(token, hash)
    if (identity === undefined) throw unauthorized()
    return identity
  }

  async function identityOf(token: string, hash: Uint8Array): Promise<Identity | undefined> {
    if (token.startsWith(ATTEMPT_PREFIX)) {
      const attempt = await attemptOf(hash)
      return attempt && keep(hash, attempt)
    }
    if (token.startsWith(JOINING_PREFIX)) return await joinerOf(hash)
    if (GIVEN_PREFIXES.some((prefix) => token.startsWith(prefix))) return await givenOf(hash)
    const agent = await agentOf(hash)
    return agent && keep(hash, agent)
  }

  async function givenOf(hash: Uint8Array): Promise<Identity | undefined> {
    const given = await givenToken(tokens, hash, now())
    return given && givenIdentity(given)
  }

  async function joinerOf(hash: Uint8Array): Promise<Identity | undefined> {
    const agent = await joiningAgent({ tasks, tokens }, hash, now())
    return agent && { ...agentIdentity(agent), isJoining: true }
  }

  async function agentOf(hash: Uint8Array): Promise<Identity | undefined> {
    const found = await tasks.agentByToken(hash)
    if (found === undefined) return undefined
    if (found.agent.kind === 'worker') mustBeEnrolled(found, now())
    return agentIdentity(found.agent)
  }

  async function attemptOf(hash: Uint8Array): Promise<Identity | undefined> {
    const attempt = await tasks.attemptByToken(hash)
    if (attempt === undefined) return undefined
    const { id, taskId, agentId, number, endedAt } = attempt
    if (endedAt !== null)
      throw new AppError(
        'lease_lost',
        `Attempt ${id} is over, and its token is no longer valid; nothing was changed.`,
        {
          hint: 'Stop working on it.',
        },
      )
    return attemptIdentity(id, taskId, agentId, number)
  }

  return {
    identify,
    recall(request, operation) {
      if (!remembers || access.kind === 'in_process') return undefined
      const token = presentedToken(request)
      const known = token === undefined ? undefined : remembered.recall(sha256Hex(token), operation)
      return known !== undefined && isAdmitted(known, operation) ? known : undefined
    },
    gave(token, { attemptId, taskId, agentId, generation }) {
      keep(sha256(token), attemptIdentity(attemptId, taskId, agentId, generation))
    },
    async refresh(request) {
      const token = access.kind === 'in_process' ? undefined : presentedToken(request)
      if (token === undefined || !isIssued(token)) return null
      const identity = await lookUp(token).catch(() => null)
      return identity?.agent ?? null
    },
    async isStillGood(request, as) {
      return await again(request).then(
        (found) => found !== undefined && isSame(found, as),
        // A database that is away for a moment says nothing of the caller, and tells nothing meanwhile.
        (error: unknown) => !isAppError(error) || error.code === 'unavailable' || error.code.startsWith('storage_'),
      )
    },
    onChange(look) {
      looks.add(look)
      return () => looks.delete(look)
    },
    lookAgain() {
      for (const look of looks) look()
    },
  }
}

const hexOf = (hash: Uint8Array): string => hash.toHex()

/** @throws `unauthorized` */
function operatorIf(isOperator: boolean): Identity {
  if (!isOperator) throw unauthorized()
  return OPERATOR
}

const ATTEMPT_PREFIX = 'lat_'
const JOINING_PREFIX = 'lwe_'
const GIVEN_PREFIXES = ['lvw_', 'lop_', 'lus_']
const PREFIXES = ['lwk_', 'lld_', ATTEMPT_PREFIX, JOINING_PREFIX, ...GIVEN_PREFIXES]
const isIssued = (token: string) => PREFIXES.some((prefix) => token.startsWith(prefix))

/** The caller of a public operation: an identity without rights. */
const NOBODY: Identity = {
  caller: {
    kind: 'attempt',
    attemptId: '' as never,
    taskId: '' as never,
    agentId: '' as never,
    generation: 0,
  },
  ...PLAIN,
}

const attemptIdentity = (attemptId: AttemptId, taskId: TaskId, agentId: AgentId, generation: number): Identity => ({
  ...PLAIN,
  caller: { kind: 'attempt', attemptId, taskId, agentId, generation },
})

const agentIdentity = (agent: AgentRow): Identity => ({
  ...PLAIN,
  caller: { kind: 'agent', agentId: agent.id, agentKind: agent.kind },
  agent,
})

const KINDS = { viewer: 'viewer', approver: 'approver', admin: 'operator' } as const satisfies Record<
  UserRole,
  CallerKind
>

/** A person has the rights of the moment; a program those of its token. */
function givenIdentity(given: GivenToken & OwnedToken): Identity {
  const { owner, purpose, userKey } = given
  if (owner !== null && userKey !== null)
    return { ...PLAIN, caller: { kind: KINDS[owner.role], user: { key: userKey, name: owner.name } }, given }
  if (purpose === 'user' || purpose === 'browser') throw unauthorized()
  return { ...PLAIN, caller: { kind: purpose }, given }
}

/** Whether it is the same caller, with the same rights. */
const isSame = (one: Identity, other: Identity): boolean =>
  kindOf(one.caller) === kindOf(other.caller) && one.caller.user?.key === other.caller.user?.key

function admit(identity: Identity, taken: Taken): Identity {
  const kind = kindOf(identity.caller)
  if (taken.access !== 'public' && !isNamed(taken.access, kind)) {
    const named = CALLER_KINDS.filter((one) => taken.access !== 'public' && isNamed(taken.access, one))
    throw new AppError('forbidden', `The token of ${CALLER_NOUNS[kind]} does not allow this.`, {
      hint: `Use the token of ${named.map((one) => CALLER_NOUNS[one]).join(' or ')}.`,
    })
  }
  if (identity.caller.user !== undefined && !mayGive(identity, taken))
    throw new AppError('forbidden', 'An admin gives no access that would outlast the admin.', {
      hint: "Use the server's own token on its machine. A worker gets its token by 'lode worker enroll'.",
    })
  if (identity.given !== null && !mayGive(identity, taken))
    throw new AppError('forbidden', "Only the server's own token can give access to others.", {
      hint: "Use the server's own token: the file `token` in its Lodeline folder, or its dashboard.",
    })
  if (identity.isJoining && taken.isJoining !== true)
    throw new AppError('forbidden', 'The token of an enrolled worker is only for joining.', {
      hint: 'Start the worker with `lode work`. It gets another token when it joins.',
    })
  return identity
}

function isAdmitted(identity: Identity, taken: Taken): boolean {
  try {
    admit(identity, taken)
    return true
  } catch {
    return false
  }
}

/** An admin is a person, and what a person gives ends with the person. */
const mayGive = ({ caller }: Identity, { givesAccess }: Taken): boolean =>
  givesAccess === undefined || (givesAccess === 'tracked' && caller.user !== undefined)

function presentedToken(request: Request): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Only the API accepts cookies; routes for agents do not. If a token is presented as well, only the token counts. */
const mayHaveCookie = (request: Request): boolean =>
  new URL(request.url).pathname.startsWith('/api/') && !/^Bearer\b/i.test(request.headers.get('authorization') ?? '')

const unauthorized = () =>
  new AppError('unauthorized', 'A valid token is required.', {
    hint: 'Send the content of the file `token` in LODELINE_HOME as `Authorization: Bearer …`. To log in a browser, run `lode open`.',
  })
