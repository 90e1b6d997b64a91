import { makePushKeys } from '../../../../util/crypto'
import { notify } from '../../../contract/operations/notify'
import { handle } from '../../handler'

const DEFAULT_LOG = 50

export const listChannels = handle(notify.list, async (_call, { store }) => ({
  channels: await store.notify.channels(),
}))

export const putChannel = handle(notify.put, async ({ caller, params, body }, { services, store }) => {
  const { secret } = await services.notify.put(caller, { name: params.name, ...body })
  const channel = (await store.notify.channels()).find(({ name }) => name === params.name)
  if (channel === undefined) throw new Error(`The channel ${params.name} was removed at the same time.`)
  return { channel, secret }
})

export const removeChannel = handle(notify.remove, async ({ caller, params, headers }, { services }) => {
  await services.notify.remove(caller, params.name)
  return new Response(null, { status: 204, headers })
})

export const testChannel = handle(notify.test, async ({ caller, params }, { services }) => ({
  notificationId: await services.notify.test(caller, params.name),
}))

export const notificationLog = handle(notify.log, async ({ query: { channel, limit } }, { store }) => ({
  notifications: await store.notify.log(channel ?? null, limit ?? DEFAULT_LOG),
}))

export const pushKey = handle(notify.pushKey, async ({ caller }, { services }) => ({
  publicKey: await services.notify.pushKey(caller, await makePushKeys()),
}))

export const pressButton = handle(notify.answer, async ({ body: { secret, behavior } }, { services }) => {
  await services.notify.answer(secret, behavior)
  return { behavior }
})
