import { AppError } from '../../domain/errors'
import type { Message } from '../../domain/message/message'
import type { Context } from '../kit/context'
import { json } from '../print/print'
import { block, oneLine } from '../print/text'
import { ago } from '../views/session/session-views'

/** A message as a person reads it in a list of texts. */
export function messageBlock(message: Message, now: number): string {
  const { kind, from, status, createdAt, id, fullAt } = message
  const head = oneLine(`${kind} from ${from.address ?? from.name}, ${ago(createdAt, now)}, ${status}  ${id}`)
  const more = fullAt === null ? '' : `  full text: ${oneLine(fullAt)}\n`
  return `${head}\n${block(message.text).trimEnd()}\n${more}`
}

/**
 * Prints the address's messages until Ctrl-C; with `--json` one document a line.
 *
 * @param isAcknowledged  each is acknowledged once it is printed
 */
export async function followMessages(
  context: Context,
  at: string,
  after: number,
  isAcknowledged: boolean,
): Promise<void> {
  const { client, url } = await context.connection()
  const { io, globals, signal } = context
  if (url === null)
    throw new AppError('unavailable', 'No server is running here, so there are no new messages to follow.', {
      hint: "Start one with 'lode up'. Without --follow, this command prints the current messages.",
    })
  for await (const { isNew, message } of client.messages.follow(at, { after }, { signal })) {
    if (!isNew) continue
    io.out(globals.isJson ? json(message, false) : `${messageBlock(message, io.now())}\n`)
    if (isAcknowledged && isOpen(message)) await client.messages.acknowledge(at, { ids: [message.id] })
  }
}

/** Nobody said yet that it arrived. */
export const isOpen = ({ status }: Message): boolean =>
  status === 'produced' || status === 'queued' || status === 'delivered'
