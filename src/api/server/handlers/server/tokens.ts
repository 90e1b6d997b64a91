import { tokenId } from '../../../../domain/ids'
import { actorOf } from '../../../../engine/audit/record-act'
import { tokens, workers } from '../../../contract/operations/access/tokens'
import { handle } from '../../handler'

export const listTokens = handle(tokens.list, async (_call, { store, now }) => ({
  tokens: await store.tokens.list(now()),
}))

export const createToken = handle(
  tokens.create,
  async ({ caller, body }, { services }) => await services.tokens.give(caller, body),
)

export const revokeToken = handle(tokens.revoke, async ({ caller, params }, { services, who }) => {
  const id = tokenId(params.id)
  await services.tokens.revoke(caller, id)
  who.lookAgain()
  return { id }
})

export const rotateToken = handle(tokens.rotate, async ({ caller }, { services, who }) => {
  await services.audit.record({ act: 'token.rotate', actor: actorOf(caller), target: null, detail: {} })
  const file = await services.rotateToken()
  who.lookAgain()
  return { file }
})

export const listEnrollments = handle(workers.list, async (_call, { store, now }) => ({
  workers: await store.tokens.enrollments(now()),
}))

export const enrollWorker = handle(
  workers.enroll,
  async ({ caller, body }, { services }) => await services.tokens.enroll(caller, body),
)

export const enterWorker = handle(
  workers.enter,
  async ({ body, remote }, { services, wrongCodes }) =>
    await wrongCodes.try(remote, () => services.tokens.enter({ ...body, peer: remote })),
)

export const revokeWorker = handle(workers.revoke, async ({ caller, params, headers }, { services }) => {
  await services.tokens.revokeWorker(caller, params.name)
  return new Response(null, { status: 204, headers })
})
