import type { ChannelKind } from '../../domain/notify/channel-kind'
import { signatureOf } from '../../engine/inbox/signature'
import { postOutside } from '../../util/net/post-outside'
import { showOnDesktop } from './desktop'
import { actionsOf, documentOf, type Outgoing, type Send, type SendSettings } from './outgoing'
import { runNotifyCommand } from './run-command'

/** What sends by each kind of channel. */
export const SENDERS: Readonly<Record<ChannelKind, Send>> = {
  ntfy: sendNtfy,
  push: async (outgoing, settings) => (await import('./web-push')).sendPush(outgoing, settings),
  webhook: sendWebhook,
  slack: sendSlack,
  telegram: sendTelegram,
  email: async (outgoing, settings) => (await import('./email')).sendEmail(outgoing, settings),
  desktop: showOnDesktop,
  command: runNotifyCommand,
}

const TELEGRAM = 'https://api.telegram.org'

const post = (
  url: string,
  body: unknown,
  headers: Record<string, string>,
  { networks, signal, resolve }: SendSettings,
): Promise<string | null> =>
  postOutside({
    url,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
    networks,
    setting: 'notify.networks',
    signal,
    ...(resolve && { resolve }),
  })

/** As JSON to the server's root, since texts of any language don't fit into headers: https://docs.ntfy.sh/publish/#publish-as-json */
function sendNtfy(outgoing: Outgoing, settings: SendSettings): Promise<string | null> {
  const url = new URL(outgoing.channel.target ?? '')
  const at = url.pathname.lastIndexOf('/')
  const topic = decodeURIComponent(url.pathname.slice(at + 1))
  url.pathname = url.pathname.slice(0, at + 1)
  const document = {
    topic,
    title: outgoing.title,
    message: outgoing.text || outgoing.event,
    ...(outgoing.link !== null && { click: outgoing.link }),
    actions: actionsOf(outgoing).map(({ label, url: to, body }) => ({
      action: 'http',
      label,
      url: to,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      clear: true,
    })),
  }
  const { secret } = outgoing
  return post(url.href, document, secret === null ? {} : { authorization: `Bearer ${secret}` }, settings)
}

/** Signed as replies to sources are, with the channel's name in place of the source's. */
function sendWebhook(outgoing: Outgoing, settings: SendSettings): Promise<string | null> {
  const { channel, secret, ids } = outgoing
  const url = new URL(channel.target ?? '')
  const body = JSON.stringify(documentOf(outgoing))
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const place = { source: channel.name, path: `${url.pathname}${url.search}` }
  const signature = signatureOf(secret ?? '', timestamp, place, new TextEncoder().encode(body))
  return post(
    url.href,
    body,
    {
      'idempotency-key': ids.join(' '),
      'lodeline-channel': channel.name,
      'lodeline-timestamp': timestamp,
      'lodeline-signature': signature,
    },
    settings,
  )
}

/** These three have a meaning in Slack's texts: https://api.slack.com/reference/surfaces/formatting#escaping */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function sendSlack(outgoing: Outgoing, settings: SendSettings): Promise<string | null> {
  const { title, text, link, channel } = outgoing
  const lines = [`*${slackText(title).replaceAll('*', '∗')}*`, slackText(text), link === null ? '' : `<${link}|Open>`]
  return post(channel.target ?? '', { text: lines.filter(Boolean).join('\n') }, {}, settings)
}

/** Without a parse mode no character has a meaning. Telegram refuses buttons that lead to no public address. */
function sendTelegram(outgoing: Outgoing, settings: SendSettings): Promise<string | null> {
  const { title, text, link, channel, secret } = outgoing
  const url = `${(channel.server ?? TELEGRAM).replace(/\/$/, '')}/bot${encodeURIComponent(secret ?? '').replaceAll('%3A', ':')}/sendMessage`
  const isOpen = link?.startsWith('https:') === true
  return post(
    url,
    {
      chat_id: channel.target,
      text: [title, text, isOpen ? null : link].filter(Boolean).join('\n'),
      link_preview_options: { is_disabled: true },
      ...(isOpen && { reply_markup: { inline_keyboard: [[{ text: 'Open', url: link }]] } }),
    },
    {},
    settings,
  )
}
