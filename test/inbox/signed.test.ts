/** What a source sends, over HTTP: only what is signed at that moment is taken, and nobody else learns anything. */

import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createInboxService } from '../../src/engine/inbox/inbox-service'
import { serveTasks } from '../api/tasks/serve-tasks'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  const begin = async () => {
    const api = serveTasks(database.store)
    const inbox = createInboxService({ store: database.store, hasFolder: true })
    Object.assign(api.services, { inbox })
    const source = `s-${crypto.randomUUID()}`
    const { secret } = await inbox.putSource(OPERATOR, { name: source })
    const send = async (
      body: string,
      more: {
        path?: string
        at?: number
        secret?: string
        headers?: Record<string, string>
        /** For what it was signed, where that is not what it is sent to. */
        signedFor?: { source?: string; path?: string }
      } = {},
    ) => {
      const at = String(more.at ?? Math.floor(Date.now() / 1_000))
      const signed = createHmac('sha256', more.secret ?? secret ?? '').update(
        `${at}.${more.signedFor?.source ?? source}.${more.signedFor?.path ?? more.path ?? '/api/inbox'}.${body}`,
      )
      const response = await fetch(`${api.origin}${more.path ?? '/api/inbox'}`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'lodeline-source': source,
          'lodeline-timestamp': at,
          'lodeline-signature': `v1=${signed.digest('hex')}`,
          ...more.headers,
        },
      })
      const answer = (await response.json()) as {
        id?: string
        isRepeat?: boolean
        replies?: { id: string; text: string }[]
        error?: { code: string; message: string }
      }
      return { status: response.status, ...answer }
    }
    const count = async () => (await database.store.inbox.list({ source }, { limit: 100 })).rows.length
    return { api, inbox, source, send, count }
  }
  const body = (more: object = {}) => JSON.stringify({ sender: 'Ann', text: 'help', ...more })

  test('takes what is signed, once however often it is sent', async () => {
    const { api, send, count } = await begin()
    await using _ = api
    const at = Math.floor(Date.now() / 1_000)
    const first = await send(body(), { at })
    expect(first).toMatchObject({ status: 200, isRepeat: false })
    expect(await send(body(), { at })).toMatchObject({ id: first.id, isRepeat: true })
    expect(await send(body(), { at: at - 1 })).toMatchObject({ status: 200, isRepeat: false })
    const named = await send(body({ externalId: 'm-1', unknownField: 1 }))
    expect(await send(body({ externalId: 'm-1' }), { at: at - 2 })).toMatchObject({ id: named.id, isRepeat: true })
    expect(await count()).toBe(3)
  })

  test('a signature for another path or source is good for nothing', async () => {
    const { api, inbox, source, send, count } = await begin()
    await using _ = api
    const { secret } = await inbox.putSource(OPERATOR, { name: `${source}.b` })
    const refused = { status: 401, error: { code: 'unauthorized' } }
    expect(await send(body(), { signedFor: { path: '/api/inbox/replies' } })).toMatchObject(refused)
    expect(await send('{}', { path: '/api/inbox/replies', signedFor: { path: '/api/inbox' } })).toMatchObject(refused)
    expect(await send(body(), { signedFor: { source: `${source}.b` } })).toMatchObject(refused)
    // Two sources that were given one secret by mistake: a request of the one is none of the other.
    const other = { secret: secret ?? '', headers: { 'lodeline-source': `${source}.b` } }
    expect(await send(body(), { ...other })).toMatchObject(refused)
    expect(await count()).toBe(0)
    expect(await send(body(), { ...other, signedFor: { source: `${source}.b` } })).toMatchObject({ status: 200 })
  })

  test('of a wrong signature, an unknown source and an old moment nothing is kept and nothing told', async () => {
    const { api, source, send, count } = await begin()
    await using _ = api
    const now = Math.floor(Date.now() / 1_000)
    const wrong = await send(body(), { secret: 'another' })
    expect(wrong).toMatchObject({ status: 401, error: { code: 'unauthorized' } })
    // The same words for a source that is not there, and for none at all.
    const others: Record<string, string>[] = [
      { 'lodeline-source': 'nobody' },
      { 'lodeline-source': 'x'.repeat(5_000) },
      { 'lodeline-source': "'; drop table inbox; --" },
      { 'lodeline-signature': '' },
      { 'lodeline-signature': `v1=${'0'.repeat(64)}` },
      { 'lodeline-signature': 'v1=\u00ff' },
      { 'lodeline-timestamp': '1e9' },
      { 'lodeline-timestamp': String(now - 1) },
    ]
    for (const headers of others)
      expect(await send(body(), { headers })).toMatchObject({ status: 401, error: wrong.error })
    for (const at of [now - 400, now + 400, 0]) expect(await send(body(), { at })).toMatchObject({ status: 401 })
    // Another's secret signs for nobody else.
    const other = await begin()
    await using __ = other.api
    expect(await other.send(body(), { headers: { 'lodeline-source': source } })).toMatchObject({ status: 401 })
    expect(await count()).toBe(0)
  })

  test('bodies that are too large or make no sense end in a typed error', async () => {
    const { api, send, count } = await begin()
    await using _ = api
    expect(await send(body({ text: 'x'.repeat(10_000_000) }))).toMatchObject({
      status: 413,
      error: { code: 'too_large' },
    })
    for (const bad of [
      '',
      'no json',
      '[]',
      'null',
      '{"sender":"Ann"}',
      body({ text: 7 }),
      body({ threadKey: 'a\nb' }),
      body({ text: ' ' }),
      body({ text: 'x'.repeat(200_001) }),
    ])
      expect([400, 413]).toContain((await send(bad)).status)
    expect(await count()).toBe(0)
  })

  test('a source fetches its replies by its signature, and a person without a token gets nothing', async () => {
    const { api, inbox, send } = await begin()
    await using _ = api
    const { id = '' } = await send(body())
    const { replyId } = await inbox.reply(OPERATOR, id as never, { text: 'in a minute' }, null)
    const path = '/api/inbox/replies'
    expect(await send('{}', { path, secret: 'another' })).toMatchObject({ status: 401 })
    expect((await send('{}', { path })).replies).toMatchObject([{ id: replyId, text: 'in a minute' }])
    expect((await send(JSON.stringify({ ack: [replyId] }), { path })).replies).toEqual([])
    expect((await fetch(`${api.origin}/api/inbox`)).status).toBe(401)
    expect((await fetch(`${api.origin}/api/inbox-sources`)).status).toBe(401)
    const operator = await api.client.inbox.get(id)
    expect(operator.message).toMatchObject({ status: 'replied', replies: [{ status: 'sent' }] })
    expect(JSON.stringify(await api.client.inbox.sources())).not.toContain('lis_')
  })
})
