import { expect, test } from 'bun:test'
import { questionId } from '../../src/domain/ids'
import type { News } from '../../src/domain/notify/notify'
import type { PutChannel } from '../../src/engine/notify/notify-inputs'
import { createNotifyService } from '../../src/engine/notify/notify-service'
import { makePushKeys } from '../../src/util/crypto'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from '../tasks/crew'

const NOON = Date.parse('2026-01-01T12:00:00Z')

onEachDatabase((database) => {
  /** Channels of its own: tests of one database leave each other alone. */
  async function begin(more: Partial<PutChannel> = {}) {
    const crew = new Crew(database.store, { now: NOON })
    const notify = createNotifyService({ store: database.store, now: () => crew.now })
    for (const { name } of await database.store.notify.channels()) await notify.remove(OPERATOR, name)
    const name = `c-${crypto.randomUUID()}`
    await notify.put(OPERATOR, { name, kind: 'webhook', target: 'https://hooks.example/x', ...more })
    const take = async (standing: string[] | null = null) => await notify.takeDue(standing, 50)
    const log = async () => await database.store.notify.log(name, 100)
    return { crew, notify, name, take, log }
  }
  const newsOf = (more: Partial<News> = {}): News => ({
    subject: `question:${crypto.randomUUID()}`,
    event: 'question',
    since: NOON,
    title: 'Deploy the lighthouse',
    text: 'Bash: make deploy',
    project: '/work/lighthouse',
    path: '/?need=x',
    questionId: null,
    ...more,
  })

  test('what was noticed twice is told once, and what stood before the channel is not told', async () => {
    const { notify, take, log } = await begin()
    const one = newsOf()
    await notify.notice([one, newsOf({ since: NOON - 1 })])
    await notify.notice([one])
    const [delivery, ...rest] = await take()
    expect(rest).toEqual([])
    expect(delivery).toMatchObject({ title: one.title, text: one.text, event: 'question', answerSecret: null })
    // Nobody else is given it while it is under way.
    expect(await take()).toEqual([])
    await notify.settle(delivery?.ids ?? [], null)
    await notify.notice([one])
    expect(await take()).toEqual([])
    expect(await log()).toMatchObject([{ status: 'sent', tries: 1, error: null }])
  })

  test('a browser gets the keys of this installation, which stay, and its channel goes when it ended its subscription', async () => {
    const { notify } = await begin()
    const publicKey = await notify.pushKey(OPERATOR, await makePushKeys())
    expect(await notify.pushKey(OPERATOR, await makePushKeys())).toBe(publicKey)
    const browser = await makePushKeys()
    const target = 'https://push.example/some-browser'
    const name = `b-${crypto.randomUUID()}`
    const put = (secret: string) => notify.put(OPERATOR, { name, kind: 'push', target, secret })
    expect(await failureOf(put('no.keys'))).toMatchObject({ code: 'invalid', details: { field: 'secret' } })
    await put(`${browser.publicKey}.${'A'.repeat(22)}`)
    const shown = (await database.store.notify.channels()).find((channel) => channel.name === name)
    // Whoever has the address may push to it.
    expect(shown).toMatchObject({ target: 'https://push.example/...', hasSecret: true })
    await notify.notice([newsOf({ questionId: questionId('q-1a2b3c4d') })])
    const due = (await notify.takeDue(null, 50)).find(({ channel }) => channel.name === name)
    expect(due).toMatchObject({ pushKeys: { publicKey }, answerSecret: expect.any(String) })
    await notify.end(name)
    expect((await database.store.notify.channels()).map((channel) => channel.name)).not.toContain(name)
  })

  test('a channel is told only its events and its project', async () => {
    const { notify, take } = await begin({ events: ['failure'], project: '/work/a' })
    await notify.notice([
      newsOf({ project: '/work/a' }),
      newsOf({ event: 'failure', project: '/work/b', subject: 'failure:b' }),
      newsOf({ event: 'failure', project: '/work/a', subject: 'failure:a', title: 'this one' }),
    ])
    expect((await take()).map(({ title }) => title)).toEqual(['this one'])
  })

  test('what is over before its time is not told', async () => {
    const { crew, notify, take, log } = await begin({ afterMs: 60_000 })
    const [gone, still] = [newsOf(), newsOf()]
    await notify.notice([gone, still])
    crew.now += 59_999
    expect(await take()).toEqual([])
    crew.now += 1
    expect((await take([still.subject])).length).toBe(1)
    expect((await log()).map(({ status }) => status).toSorted()).toEqual(['over', 'waiting'])
  })

  test('in quiet hours nothing is told, and at their end what still stands is', async () => {
    const quiet = { from: 11 * 60, until: 13 * 60 + 30, zone: 'UTC' }
    const { crew, notify, take } = await begin({ quiet })
    await notify.notice([newsOf()])
    crew.now = NOON + 90 * 60_000 - 1
    expect(await take()).toEqual([])
    crew.now += 1
    expect(await take()).toHaveLength(1)
  })

  test('quiet hours that began while it waited hold it, but not a test', async () => {
    const { crew, notify, name, take } = await begin({ quiet: { from: 13 * 60, until: 14 * 60, zone: 'UTC' } })
    await notify.notice([newsOf()])
    crew.now = NOON + 60 * 60_000
    await notify.test(OPERATOR, name)
    expect((await take()).map(({ event }) => event)).toEqual(['test'])
    crew.now += 60 * 60_000
    expect((await take()).map(({ event }) => event)).toContain('question')
  })

  test('many at once are one', async () => {
    const { notify, take, log } = await begin()
    await notify.notice([1, 2, 3, 4, 5].map((n) => newsOf({ title: `ship ${n}` })))
    const [summary, ...rest] = await take()
    expect(rest).toEqual([])
    expect(summary).toMatchObject({ title: '5 new notifications', path: '/' })
    expect(summary?.text).toContain('question: ship 4')
    await notify.settle(summary?.ids ?? [], null)
    expect((await log()).every(({ status }) => status === 'sent')).toBe(true)
  })

  test('what is refused is tried again, later each time, until it is given up; a test is not', async () => {
    const { crew, notify, name, take, log } = await begin()
    await notify.notice([newsOf()])
    let tries = 0
    for (; tries < 50; tries++) {
      const [due] = await take()
      if (due === undefined) break
      await notify.settle(due.ids, 'it responded with status 500')
      expect(await take()).toEqual([])
      crew.now += 600_000
    }
    expect(tries).toBe(10)
    expect(await log()).toMatchObject([{ status: 'failed', tries: 10, error: 'it responded with status 500' }])
    await notify.test(OPERATOR, name)
    await notify.settle((await take())[0]?.ids ?? [], 'no')
    expect((await log())[0]).toMatchObject({ event: 'test', status: 'failed', tries: 1 })
  })

  test('a button answers its question once, and nobody without its secret does', async () => {
    const { crew, notify, name, take } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    await crew.create()
    const given = await worker.take()
    const asked = { toolUseId: null, toolName: 'Bash', input: { command: 'ls' }, description: null }
    const { id } = await crew.service.ask(worker.caller, given.attemptId, {
      ...asked,
      default: 'deny',
      deadlineMs: 3_600_000,
    })
    await notify.notice([newsOf({ questionId: questionId(id) })])
    const secret = (await take())[0]?.answerSecret ?? ''
    const [row] = secret.split('.')
    for (const wrong of ['', 'x', `${row}.`, `${row}.AAAA`, `n-none.${secret.split('.')[1]}`])
      expect(await failureOf(notify.answer(wrong, 'allow'))).toMatchObject({ code: 'unauthorized' })
    await notify.answer(secret, 'allow')
    expect(await failureOf(notify.answer(secret, 'deny'))).toMatchObject({ code: 'unauthorized' })
    const { rows } = await database.store.tasks.questions({ taskId: given.task.id }, { limit: 10 })
    expect(rows).toMatchObject([{ id, status: 'answered', answeredBy: `the channel ${name}` }])
  })

  test('no secret leaves, and who is no operator changes nothing', async () => {
    const { notify, name } = await begin()
    await notify.put(OPERATOR, { name: `${name}-2`, kind: 'slack', target: 'https://hooks.example/T0/B0/secret' })
    expect(JSON.stringify(await database.store.notify.channels())).not.toMatch(/secret"|T0|lns_/)
    const viewer = { kind: 'viewer' } as const
    expect(await failureOf(notify.put(viewer, { name, kind: 'webhook' }))).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(notify.remove(viewer, name))).toMatchObject({ code: 'forbidden' })
    expect(await failureOf(notify.test(viewer, name))).toMatchObject({ code: 'forbidden' })
  })

  test.each<[string, PutChannel]>([
    ['an address in the clear', { name: 'x', kind: 'ntfy', target: 'http://ntfy.example/t' }],
    ['an address with a password', { name: 'x', kind: 'webhook', target: 'https://a:b@ntfy.example/t' }],
    ['where clouds keep credentials', { name: 'x', kind: 'webhook', target: 'https://169.254.169.254/' }],
    ['no target', { name: 'x', kind: 'ntfy' }],
    ['a target for the desktop', { name: 'x', kind: 'desktop', target: 'here' }],
    ['no token', { name: 'x', kind: 'telegram', target: '42' }],
    ['no mail server', { name: 'x', kind: 'email', target: 'ann@example.org' }],
    [
      'a mail server with a password',
      { name: 'x', kind: 'email', target: 'a@b.example', server: 'smtps://a:b@m.example' },
    ],
    [
      'two lines in an address',
      { name: 'x', kind: 'email', target: 'a@b.example\nBcc: c@d.example', server: 'smtps://m.example' },
    ],
    ['no program', { name: 'x', kind: 'command', target: [] }],
    ['a name with a slash', { name: 'a/b', kind: 'desktop' }],
    ['a zone that is none', { name: 'x', kind: 'desktop', quiet: { from: 0, until: 1, zone: 'Mars/North' } }],
  ])('refuses %s with a hint', async (_, input) => {
    const { notify } = await begin()
    const failure = await failureOf(notify.put(OPERATOR, input))
    expect(failure.code).toBe('invalid')
    expect(failure.hint ?? '').not.toBe('')
  })
})
