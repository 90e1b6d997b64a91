import { createTransport } from 'nodemailer'
import { hostOf, namesThisMachine } from '../../util/net/address-reach'
import { ipVersion } from '../../util/net/ip'
import { fitAddresses } from '../../util/net/post-outside'
import type { Outgoing, SendSettings } from './outgoing'

const MAIL_MS = 15_000

/** Sends the notification through the channel's mail server. The connection is encrypted, but to a server on this machine. */
export async function sendEmail(
  { channel, secret, title, text, link }: Outgoing,
  { networks, resolve }: SendSettings,
): Promise<string | null> {
  const server = new URL(channel.server ?? '')
  const found = await fitAddresses(server, { networks, setting: 'notify.networks', ...(resolve && { resolve }) })
  if (typeof found === 'string') return found
  const isImplicit = server.protocol === 'smtps:'
  const user = decodeURIComponent(server.username)
  const transport = createTransport({
    host: found[0],
    port: Number(server.port) || (isImplicit ? 465 : 587),
    secure: isImplicit,
    requireTLS: !isImplicit && !namesThisMachine(server),
    ignoreTLS: !isImplicit && namesThisMachine(server),
    connectionTimeout: MAIL_MS,
    greetingTimeout: MAIL_MS,
    socketTimeout: MAIL_MS,
    ...(ipVersion(hostOf(server)) === 0 && { tls: { servername: hostOf(server) } }),
    ...(user !== '' && { auth: { user, pass: secret ?? '' } }),
    // A text of a stranger names no file and no address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: { name: 'Lodeline', address: channel.sender ?? channel.target ?? '' },
      to: { name: '', address: channel.target ?? '' },
      subject: title.replace(/\s+/g, ' '),
      text: [text, link].filter(Boolean).join('\n\n'),
    })
    return null
  } finally {
    transport.close()
  }
}
