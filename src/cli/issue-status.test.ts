import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { dispatch } from './dispatch'
import { fakeIo } from './kit/fake-io'
import { differences } from './kit/json-shapes'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
const dir = join(root, 'project')
emptyRepository(dir)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const never = new AbortController().signal
async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: join(root, 'lode'), USER: 'me' }, cwd: dir })
  const code = await dispatch(words, io, never)
  return { code, out: io.stdout, err: io.stderr }
}
interface Statuses {
  statuses: { name: string; category: string | null; isBuiltIn: boolean; count: number }[]
}
async function statuses(...words: string[]): Promise<Statuses['statuses']> {
  const { out, err } = await lode('issue', 'status', ...words, '--json')
  expect(err).toBe('')
  const answer = JSON.parse(out) as Statuses
  expect(differences(answer, `lode issue status ${words[0]}`, 'statuses')).toEqual([])
  return answer.statuses.filter(({ isBuiltIn }) => !isBuiltIn)
}

test('a status of a tracker counts as what it was added as, until it is taken away', async () => {
  expect(await statuses('list')).toEqual([])
  expect((await lode('issue', 'create', 'Ship it', '-s', 'shipped')).code).toBe(2)

  await statuses('add', 'shipped', '--as', 'wip')
  expect(await statuses('add', 'waiting')).toMatchObject([{ name: 'shipped' }, { name: 'waiting', category: null }])
  const own = await statuses('add', 'shipped', '--as', 'done')
  expect(own).toMatchObject([
    { name: 'waiting', category: null },
    { name: 'shipped', category: 'done', count: 0 },
  ])

  const made = JSON.parse((await lode('issue', 'create', 'Ship it', '--json')).out) as { issue: { id: string } }
  expect((await lode('issue', 'update', made.issue.id, '-s', 'shipped')).code).toBe(0)
  expect((await lode('issue', 'ready')).out).not.toContain(made.issue.id)

  const removed = await lode('issue', 'status', 'remove', 'shipped')
  expect(removed.err).toBe('lode: 1 issue kept it; the status has no category now.\n')
  expect(removed.out).not.toContain('shipped')
  expect((await lode('issue', 'show', made.issue.id)).out).toContain('shipped')
})

test('statuses that are added at the same time are all there', async () => {
  const added = ['one', 'two', 'three', 'four']
  await Promise.all(added.map((name) => lode('issue', 'status', 'add', name)))
  expect((await statuses('list')).map(({ name }) => name)).toEqual(expect.arrayContaining(added))
})

test('what is built in, misspelled or not there is refused with the way out', async () => {
  const refusal = async (...words: string[]) => {
    const { code, out, err } = await lode('issue', 'status', ...words)
    expect(out).toBe('')
    return [code, err.split('\n')[0]]
  }
  await lode('issue', 'status', 'add', 'in_review', '--as', 'wip')
  expect(await refusal('add', 'open')).toEqual([4, "lode: The status 'open' is built in."])
  expect(await refusal('remove', 'closed')).toEqual([4, "lode: The status 'closed' is built in and can't be removed."])
  expect(await refusal('remove', 'in-review')).toEqual([
    3,
    "lode: Status 'in-review' does not exist here. Did you mean 'in_review'?",
  ])
  expect((await refusal('add', 'No Good'))[0]).toBe(2)
  expect((await refusal('add', 'x', '--as', 'moon'))[0]).toBe(2)
})
