import webPush from 'web-push'
import { postOutside } from '../../util/net/post-outside'
import { actionsOf, GONE, type Outgoing, type SendSettings } from './outgoing'

/** Seconds for which a push service keeps it for a phone that is off. */
const KEPT_SECONDS = 86_400
/** Bytes that every push service takes, encrypted: https://www.rfc-editor.org/rfc/rfc8030#section-7.2. Texts are cut to fit. */
const MOST_TEXT = 1_000
/** The sender, where no address on the internet is known; push services ask for one of a form, and write to nobody. */
const NO_SUBJECT = 'https://lodeline.invalid'

/**
 * Sends to a browser by its push service (RFC 8030), encrypted for that browser alone (RFC 8291) and signed as ours (RFC 8292). The answer
 * goes to the dashboard's own address, so that it needs no public one.
 */
export async function sendPush(outgoing: Outgoing, settings: SendSettings): Promise<string | null> {
  const { channel, secret, pushKeys, title, text, event, path, ids, answerSecret, link, needs } = outgoing
  if (pushKeys === null) return 'there are no keys for push services'
  const [p256dh = '', auth = ''] = (secret ?? '').split('.')
  const payload = {
    title,
    text: text.slice(0, MOST_TEXT) || event,
    path,
    tag: ids[0] ?? event,
    needs,
    actions: actionsOf({ ...outgoing, answerUrl: '/api/notify/answer' }).map(({ label }) => label.toLowerCase()),
    answerSecret,
  }
  const { endpoint, headers, body } = webPush.generateRequestDetails(
    { endpoint: channel.target ?? '', keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      vapidDetails: { subject: link?.startsWith('https:') ? new URL(link).origin : NO_SUBJECT, ...pushKeys },
      TTL: KEPT_SECONDS,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
    },
  )
  const { networks, signal, resolve } = settings
  const failure = await postOutside({
    url: endpoint,
    body: new Uint8Array(body ?? []),
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => name.toLowerCase() !== 'content-length')
        .map(([name, value]) => [name, String(value)]),
    ),
    networks,
    setting: 'notify.networks',
    signal,
    ...(resolve && { resolve }),
  })
  return failure !== null && /status (?:404|410)$/.test(failure) ? GONE : failure
}
