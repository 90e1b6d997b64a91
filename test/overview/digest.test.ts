/** What went on since a time: ends, failures, changes of files and open needs, by repository. */
import { expect, test } from 'bun:test'
import { type Digest, digestMarkdown } from '../../src/domain/overview/digest'
import { readDigest } from '../../src/engine/overview/digest'
import { onEachDatabase } from '../store-contract/databases'
import { addCall, addSession, addWork, ago, DAY, MINUTE, NOW, SETTINGS } from './scene'

onEachDatabase((database) => {
  test('a digest has what ended, failed, changed and needs somebody, and nothing of before', async () => {
    const { store } = database
    const over = (title: string, status: 'completed' | 'failed' | 'cancelled', at: number, more: object) =>
      addWork(
        store,
        { title, status, finishedAt: at, ...more },
        { endedAt: at, outcome: status === 'failed' ? 'failed' : 'completed' },
      )
    const done = await over('Tidy', 'completed', ago(10 * MINUTE), { output: '**Tidied** the quay. Then I slept.' })
    const failed = await over('Moor', 'failed', ago(20 * MINUTE), { failureReason: 'The rope broke.' })
    await over('Sink', 'cancelled', ago(20 * MINUTE), {})
    await over('Before', 'completed', ago(2 * DAY), { output: 'Long ago.' })
    const session = await addSession(store, { activity: 'ended', at: ago(5 * MINUTE), title: 'Look around' })
    await addCall(store, session, { id: 'e1', name: 'Edit', at: ago(7 * MINUTE), endedAt: ago(6 * MINUTE) })
    await addCall(store, session, { id: 'e2', name: 'Write', at: ago(7 * MINUTE), endedAt: ago(6 * MINUTE) })
    await addCall(store, session, { id: 'r1', name: 'Read', at: ago(7 * MINUTE), endedAt: ago(6 * MINUTE) })
    await addCall(store, session, { id: 'e0', name: 'Edit', at: ago(3 * DAY), endedAt: ago(3 * DAY) })
    const history = await addSession(store, { activity: 'working', at: ago(90 * MINUTE), isImported: true })

    const digest = await readDigest(store, NOW, SETTINGS, { since: ago(DAY) })
    const all = (pick: 'done' | 'failed') => digest.projects.flatMap((project) => project[pick])
    expect(all('failed').map(({ taskId, text }) => [taskId, text])).toEqual([[failed.id, 'The rope broke.']])
    expect(all('done').find(({ taskId }) => taskId === done.id)?.text).toBe('Tidied the quay.')
    expect(all('done').map(({ title }) => title)).toEqual(expect.arrayContaining(['Tidy', 'Look around']))
    for (const title of ['Sink', 'Before']) expect(all('done').map((one) => one.title)).not.toContain(title)
    // How imported history ended is no failure.
    expect(all('failed').some(({ sessionId }) => sessionId === history.id)).toBe(false)
    expect(digest.total).toMatchObject({ failed: 1, edits: 2, needs: 1 })
    expect(digest.total.done).toBe(all('done').length)

    const words = { time: (iso: string) => iso.slice(0, 10), money: (usd: number | null) => `$${usd ?? 0}` }
    const text = digestMarkdown(digest, words)
    expect(text).toContain('- Tidy: Tidied the quay.')
    expect(text).toContain('Failed:\n\n- Moor: The rope broke.')
    const [agentCli] = all('done').flatMap((one) => one.agentCli ?? [])
    const other = { ...all('done')[0], title: 'Elsewhere', text: null, agentCli: 'another-cli' }
    const [first] = digest.projects
    const mixed = digestMarkdown(
      { ...digest, projects: [...digest.projects, { ...first, done: [other] }] } as Digest,
      words,
    )
    expect(text).not.toContain(`(${agentCli})`)
    expect(mixed).toContain('- Elsewhere (another-cli)')
    expect(mixed).toContain(`- Look around (${agentCli})`)
    // Words of agents are no Markdown of ours.
    const hostile = { ...digest, projects: digest.projects.map((one) => ({ ...one, name: '[x](y)\n# z' })) }
    expect(digestMarkdown(hostile, words)).toContain('## \\[x\\](y) \\# z')
  })
})
