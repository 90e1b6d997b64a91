import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LODE, LODE_WORDS } from '../lode-command'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lode-merge-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = () => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  LODELINE_HOME: join(folder, 'no-home'),
})
async function run(...command: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(command, { cwd: folder, env: env(), stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}
const git = async (...args: string[]) => {
  const done = await run('git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args)
  expect(`${args.join(' ')}: ${done.code} ${done.code === 0 ? '' : done.err + done.out}`.trim()).toBe(
    `${args.join(' ')}: 0`,
  )
}
const line = (rest: object) =>
  `${JSON.stringify({ id: 'a-1', title: 't', status: 'open', priority: 2, created_at: '2026-01-01T00:00:00Z', ...rest })}\n`
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

test('git merges two branches that changed one line by field, with no server and no database', async () => {
  await git('init', '-q', '-b', 'main')
  await git('config', 'merge.lode.driver', `${LODE_WORDS} issue merge %O %A %B`)
  write('.gitattributes', 'issues.jsonl merge=lode\n')
  write('issues.jsonl', line({ labels: ['a'] }))
  await git('add', '.gitattributes', 'issues.jsonl')
  await git('commit', '-q', '-m', 'base')
  await git('checkout', '-q', '-b', 'side')
  write('issues.jsonl', line({ labels: ['a', 'side'], notes: 'theirs' }))
  await git('commit', '-q', '-a', '-m', 'side')
  await git('checkout', '-q', 'main')
  write('issues.jsonl', line({ labels: ['a', 'main'], assignee: 'me' }))
  await git('commit', '-q', '-a', '-m', 'main')
  await git('merge', '-q', '--no-edit', 'side')
  expect(JSON.parse(read('issues.jsonl'))).toMatchObject({
    labels: ['a', 'main', 'side'],
    notes: 'theirs',
    assignee: 'me',
  })
  expect(existsSync(join(folder, 'no-home'))).toBe(false)
})

test('the merge is written to OURS, to a named file or to stdout, and what was decided is said', async () => {
  write('base', '')
  write('ours', line({ title: 'ours', updated_at: '2026-01-02T00:00:00Z' }))
  write('theirs', line({ title: 'theirs', updated_at: '2026-01-03T00:00:00Z' }))
  const lode = (...args: string[]) => run(...LODE, 'issue', 'merge', 'base', 'ours', 'theirs', ...args)
  const shown = await lode('--out', '-')
  expect(shown).toMatchObject({ code: 0, out: read('theirs') })
  expect(shown.err).toContain('a-1, title: theirs: both changed it and this side is newer; the other side had "ours"')
  const told = JSON.parse((await lode('--out', 'merged', '--json')).out) as Record<string, unknown>
  expect(told).toMatchObject({
    issueCount: 1,
    notices: [],
    decisions: [{ id: 'a-1', key: 'title', taken: 'theirs' }],
  })
  expect(read('merged')).toBe(read('theirs'))
  expect(read('ours')).not.toBe(read('theirs'))
  expect(await lode('--quiet')).toMatchObject({ code: 0, err: '' })
  expect(read('ours')).toBe(read('theirs'))
})

test('files that are not there are said, and nothing is written', async () => {
  const done = await run(...LODE, 'issue', 'merge', 'x', 'y', 'z')
  expect(done.code).not.toBe(0)
  expect(done.err).toContain('Neither')
})
