/** An agent CLI of which the product knows nothing but its harness: recorded, run, resumed, copied and recalled by the real program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { until } from '../../lab/until'
import { MadeUpLab } from './lab'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let lab: MadeUpLab
    beforeAll(async () => {
      lab = await MadeUpLab.start(kind)
    })
    afterAll(() => lab?.lab.stop(), 60_000)

    const sessionOf = (id: string) =>
      until(`the record of ${id}`, async () => {
        const { sessions } = await lab.lode.client.sessions.list({ text: id })
        return sessions.find((session) => session.id === id && session.counts.events > 1)
      })

    test('a talk that a person has is recorded, found, and opened again by its own program', async () => {
      const id = await lab.talk('Where is the lighthouse?')
      expect(await sessionOf(id)).toMatchObject({
        agent: 'made-up',
        cwd: lab.project,
        title: 'Where is the lighthouse?',
      })
      expect(await lab.lines('search', 'lighthouse')).toContain(id.slice(0, 8))
      expect(await lab.lines('session', 'resume', id, '--print')).toContain(`made-up talk --again ${id}`)
      const files = await Array.fromAsync(lab.lode.client.sessions.export(id), async ({ bytes }) =>
        Buffer.concat(await Array.fromAsync(bytes)).toString('utf8'),
      )
      expect(files).toEqual([readFileSync(lab.talkFile(id), 'utf8')])
    })

    test('a talk of another account whose file is gone is restored there, and opened as that account', async () => {
      const id = await lab.talk('Who keeps the other light?', lab.otherRoot)
      await sessionOf(id)
      const bytes = readFileSync(lab.talkFile(id, lab.otherRoot), 'utf8')
      rmSync(lab.talkFile(id, lab.otherRoot))
      expect(await lab.lines('session', 'resume', id, '--print')).toContain(` MADE_UP_HOME=${lab.otherRoot} `)
      expect(readFileSync(lab.talkFile(id, lab.otherRoot), 'utf8')).toBe(bytes)
    })

    test('a run that crashes goes on in its talk, under the name that the program gave it', async () => {
      const task = await lab.done({ task: 'crash once, then build the harbour' })
      expect(task.status).toBe('completed')
      const [first, second] = (await lab.lode.client.tasks.get(task.id)).attempts
      const id = first?.conversation?.sessionId ?? ''
      expect(id).toMatch(/^talk-/)
      expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash', cliVersion: '3.1' })
      expect(second).toMatchObject({
        outcome: 'completed',
        conversation: { rung: 'native', sessionId: id, whyNot: [] },
      })
      expect(task.output).toContain('crash once, then build the harbour')
      expect((await sessionOf(id)).agent).toBe('made-up')
      await until('the output of both runs', async () => {
        const { journals } = await lab.lode.client.sessions.journals(id)
        return journals.filter((journal) => journal.kind === 'stream').length === 2
      })
    })

    test('a task goes on in a copy of its parent, and in a talk whose file is gone', async () => {
      const parent = await lab.done({ task: 'Remember the word HERON' })
      const from = parent.claudeSessionId ?? ''
      const child = await lab.done({ task: 'Which word?', parentTaskId: parent.id })
      expect(child.output).toContain('Remember the word HERON')
      const [attempt] = (await lab.lode.client.tasks.get(child.id)).attempts
      const copy = attempt?.conversation?.sessionId ?? ''
      expect(attempt?.conversation).toMatchObject({ rung: 'snapshot', forked: true, resumedSessionId: from })
      expect(copy).not.toBe(from)
      await until('the fork', async () => (await lab.lode.client.sessions.get(copy)).session.forkedFrom === from)

      await sessionOf(from)
      rmSync(lab.talkFile(from))
      const { task } = await lab.lode.client.sessions.resume(from, { asTask: true, text: 'And again?' })
      const again = await lab.ended(task?.id ?? ('' as never))
      expect(again.output).toContain('Remember the word HERON')
      const restored = (await lab.lode.client.tasks.get(again.id)).attempts.at(-1)
      expect(restored?.conversation).toMatchObject({ rung: 'restored', sessionId: from })
    })

    test('what was learnt outlives the server, and whoever goes on is told it', async () => {
      const task = await lab.done({ task: 'Paint the boat green' })
      const id = task.claudeSessionId ?? ''
      await sessionOf(id)
      await lab.lode.crash()
      await lab.lode.up()
      expect(await lab.lode.client.sessions.get(id)).toMatchObject({ session: { agent: 'made-up' } })
      expect(await lab.lines('prime', '--session', id)).toContain('Paint the boat green')
    })

    test('what the program can not do is said: nobody can reach a talk, and a message for it waits', async () => {
      const id = await lab.talk('Is anybody there?')
      await sessionOf(id)
      const { message } = await lab.lode.client.messages.send({ to: id, text: 'Yes, the keeper.' })
      expect(await lab.lines('message', 'show', message.id)).toContain('Made Up does not accept messages from outside.')
    })

    test('a record that is built anew holds the same', async () => {
      const before = (await lab.lode.client.sessions.list({ agent: 'made-up' })).sessions.map(({ id, counts }) => [
        id,
        counts,
      ])
      expect(before.length).toBeGreaterThan(4)
      await lab.lines('rebuild')
      const after = (await lab.lode.client.sessions.list({ agent: 'made-up' })).sessions.map(({ id, counts }) => [
        id,
        counts,
      ])
      expect(new Map(after as never)).toEqual(new Map(before as never))
    })
  })
}
