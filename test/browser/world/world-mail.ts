/** Messages on every stretch of their way, and what came from outside. */
import { createHmac } from 'node:crypto'
import type { InboxId, MessageId, TaskId } from '../../../src/domain/ids'
import type { Ground } from './world-ground'
import type { WorldTasks } from './world-tasks'

export interface WorldMail {
  /** Nobody is there to get it. */
  waiting: MessageId
  /** Given to a run that is in the middle of a call. */
  inFlight: MessageId
  /** In a conversation, and the model went on from it. */
  consumed: MessageId
  withdrawn: MessageId
  /** From outside; nobody looked at it. */
  request: InboxId
  /** From outside; became `delegatedTo`, and was answered. */
  delegated: InboxId
  delegatedTo: TaskId
}

export async function makeMail(ground: Ground, tasks: WorldTasks): Promise<WorldMail> {
  const { client } = ground
  const send = async (input: Parameters<typeof client.messages.send>[0]) =>
    (await client.messages.send(input)).message.id
  const waiting = await send({ to: tasks.later, text: 'Bring the rope as well.' })
  const inFlight = await send({ to: tasks.running, text: 'How deep is it by now?', wantsReply: true })
  const withdrawn = await send({ to: tasks.backlog, text: 'Never mind.' })
  await client.messages.withdraw(withdrawn)
  const { secret } = await client.inbox.putSource('harbour-desk')
  const receive = (sender: string, text: string) => fromOutside(ground, secret ?? '', { sender, text })
  const request = await receive('captain@plum.example', 'We arrive two hours early. Is a berth free?')
  const delegated = await receive('crew@fig.example', 'Our rope is torn. Could you bring a new one?')
  const { task } = await client.inbox.delegate(delegated, {
    task: 'Bring new rope to the ship FIG',
    dir: ground.claude.project,
  })
  await client.tasks.cancel(task.id, { reason: 'the ship has sailed' })
  await client.inbox.reply(delegated, { text: 'It comes within the hour.' })
  return { waiting, inFlight, consumed: tasks.told, withdrawn, request, delegated, delegatedTo: task.id }
}

/** What a source sends: signed, over HTTP, without a client. */
export async function fromOutside(
  { server }: Pick<Ground, 'server'>,
  secret: string,
  content: { sender: string; text: string },
): Promise<InboxId> {
  const body = JSON.stringify(content)
  const at = String(Math.floor(Date.now() / 1_000))
  const response = await fetch(`${server.url}/api/inbox`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'lodeline-source': 'harbour-desk',
      'lodeline-timestamp': at,
      'lodeline-signature': `v1=${createHmac('sha256', secret).update(`${at}.harbour-desk./api/inbox.${body}`).digest('hex')}`,
    },
  })
  if (!response.ok) throw new Error(`the inbox answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { id: InboxId }).id
}
