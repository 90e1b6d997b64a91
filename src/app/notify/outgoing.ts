import type { NotifyDelivery } from '../../engine/notify/notify-inputs'
import type { ResolveName } from '../../util/net/post-outside'

/** A notification on its way. */
export interface Outgoing extends NotifyDelivery {
  /** The dashboard's page. `null` = no address is known that a person could open */
  link: string | null
  /** Where a press of a button is posted to; `null` = it has no buttons. */
  answerUrl: string | null
  /** What needs the person in all; `null` = not known. */
  needs: number | null
}

/** What a sender gives where the channel leads nowhere any more. */
export const GONE = 'the browser ended its subscription'

/** What sending may use. */
export interface SendSettings {
  /** Private networks that it may lead to: `notify.networks`. */
  networks: readonly string[]
  /** Whether a channel may run a program on this machine: `notify.commands`. */
  allowsCommands: boolean
  signal: AbortSignal
  /** Default the operating system's. */
  resolve?: ResolveName
}

/** Sends a notification. @returns why it was not taken; `null` = it was. It may throw. */
export type Send = (outgoing: Outgoing, settings: SendSettings) => Promise<string | null>

/** The buttons under a question, with what a press posts. */
export const actionsOf = ({ answerUrl, answerSecret }: Outgoing) =>
  answerUrl === null || answerSecret === null
    ? []
    : (['allow', 'deny'] as const).map((behavior) => ({
        label: behavior === 'allow' ? 'Allow' : 'Deny',
        url: answerUrl,
        body: JSON.stringify({ secret: answerSecret, behavior }),
      }))

/** What a program or a service of one's own is given. */
export const documentOf = (outgoing: Outgoing) => ({
  type: 'notification',
  ids: outgoing.ids,
  channel: outgoing.channel.name,
  event: outgoing.event,
  title: outgoing.title,
  text: outgoing.text,
  link: outgoing.link,
  actions: actionsOf(outgoing).map(({ label, url, body }) => ({ label, method: 'POST', url, body })),
})
