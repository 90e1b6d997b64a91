/** The commands of to-dos, in process on a real database, record and file of issues. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { runHook } from './commands/hook'
import { dispatch } from './dispatch'
import { fakeIo } from './kit/fake-io'
import { differences } from './kit/json-shapes'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
const home = join(root, 'lode')
const dir = join(root, 'project')
emptyRepository(dir)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const never = new AbortController().signal
interface Call {
  input?: string
  env?: Record<string, string>
}
async function lode(words: string[], { input = '', env }: Call = {}) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: home, USER: 'me', ...env }, cwd: dir, input })
  const code = await dispatch(
    words,
    { ...io, now: Date.now, out: (text) => io.out(text), err: (text) => io.err(text) },
    never,
  )
  return { code, out: io.stdout, err: io.stderr }
}
async function answer<T>(words: string[], call?: Call): Promise<T> {
  const { code, out, err } = await lode([...words, '--json'], call)
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  const value = JSON.parse(out) as T
  if (words[0] !== 'bd' && words[0] !== 'issue')
    expect(differences(value, `lode ${words.slice(0, 2).join(' ')}`, words.join(' '))).toEqual([])
  return value
}
const sync = (session: string | undefined, todos: unknown, tool = 'TodoWrite') =>
  JSON.stringify({ session_id: session, tool_name: tool, tool_input: { todos } })
const items = (...pairs: [content: string, status: string][]) => pairs.map(([content, status]) => ({ content, status }))

interface Lists {
  lists: { sessionId: string; issues: { id: string }[]; progress: object }[]
  todos: { id: string; content: string; status: string; leftOpen: boolean; takenBy: string | null }[]
}

let issue: string
beforeAll(async () => {
  issue = (await answer<{ issue: { id: string } }>(['issue', 'create', 'Log in'])).issue.id
  const list = items(['Read', 'completed'], ['Write the parser', 'in_progress'], ['Write docs', 'pending'])
  await lode(['todo', 'sync'], { input: sync('first', list) })
})

describe('lode todo sync', () => {
  test('says how much it took in, and for which session', async () => {
    const input =
      '{"session_id":"test","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"Test","status":"pending"}]}}'
    expect(await lode(['todo', 'sync'], { input })).toEqual({
      code: 0,
      out: 'Synced 1 task for session test\n',
      err: '',
    })
    expect((await lode(['bd', 'tasks', 'sync'], { input })).out).toBe('Synced 1 task for session test\n')
    expect(await answer<object>(['todo', 'sync'], { input })).toMatchObject({ sessionId: 'test', syncedCount: 1 })
    const { todos } = await answer<Lists>(['todo', 'list', '--session', 'test'])
    expect(todos).toMatchObject([{ content: 'Test', status: 'pending' }])
    for (const path of [home, join(home, 'hooks')]) expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, 'hooks', 'hooks.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('leaves payloads of other tools alone, without a word', async () => {
    for (const input of [sync('test', [], 'Bash'), sync(undefined, [], 'Read')])
      expect(await lode(['todo', 'sync'], { input })).toEqual({ code: 0, out: '', err: '' })
  })

  test('names what is wrong with a payload', async () => {
    const refusal = async (input: string, words: string[] = []) => {
      const { code, out, err } = await lode(['todo', 'sync', ...words], { input })
      expect(out).toBe('')
      return [code, err.split('\n')[0]]
    }
    expect(await refusal('')).toEqual([2, 'lode: Stdin is empty.'])
    expect((await refusal('{"session_id":'))[1]).toStartWith('lode: Stdin is not valid JSON')
    expect(await refusal('[1]')).toEqual([2, 'lode: Stdin is not a JSON object.'])
    expect(await refusal('{"session_id":"x"}')).toEqual([2, 'lode: The payload has no tool_name.'])
    expect(await refusal(sync(undefined, []))).toEqual([2, 'lode: The payload has no session_id.'])
    expect(await refusal(sync('../../etc', []))).toEqual([2, "lode: '../../etc' is not a valid session ID."])
    expect((await refusal(sync('x'.repeat(10_000), [])))[0]).toBe(2)
    expect((await refusal(sync('a\u0000b', [])))[0]).toBe(2)
  })

  test('keeps the first thousand of a list that is longer, and says so as an error', async () => {
    const many = items(...Array.from({ length: 1_005 }, (_, i): [string, string] => [`Item ${i}`, 'pending']))
    const { code, err } = await lode(['todo', 'sync'], { input: sync('big', many) })
    expect([code, err]).toEqual([7, expect.stringContaining('the first 1000 are kept, 5 are left out')])
    expect((await lode(['todo', 'list', '-s', 'big'])).out).toContain('5 more to-dos beyond the limit')
  })

  test('takes the session of the environment where the payload names none', async () => {
    const input = sync(undefined, items(['Mine', 'pending']))
    const { out } = await lode(['todo', 'sync'], { input, env: { CLAUDE_CODE_SESSION_ID: 'of-env' } })
    expect(out).toBe('Synced 1 task for session of-env\n')
  })
})

describe('a session on an issue', () => {
  test('is shown with what it is for, its marks and how far it is', async () => {
    expect((await lode(['todo', 'list', '-s', 'first'])).out).toStartWith('Session first (not linked)\nLast sync: ')
    expect((await lode(['todo', 'link', issue, '--session', 'first'])).out).toBe(
      `Linked session first to ${issue} ("Log in")\n`,
    )
    expect(await answer<object>(['todo', 'link', issue, '-s', 'first'])).toMatchObject({ isNew: false })
    const { out } = await lode(['todo', 'list', '-s', 'first'])
    expect(out).toStartWith(`Session first → ${issue} "Log in"\nLast sync: `)
    expect(out).toContain('\n  ✓ Read\n  → Write the parser\n  ○ Write docs\n')
    expect(out).toContain('\nProgress: 1/3 completed, 1 in progress\n')
    const bead = await answer<object>(['bd', 'tasks', 'list', '--session', 'first'])
    expect(Object.keys(bead)).toEqual(['session_id', 'bead_id', 'started_at', 'last_sync_at', 'tasks'])
    expect(bead).toMatchObject({ session_id: 'first', bead_id: issue, tasks: [{ content: 'Read' }, {}, {}] })
  })

  test('sees another one that is at work on it, and what both are about to do', async () => {
    await lode(['todo', 'sync'], { input: sync('second', items(['Write the docs', 'pending'])) })
    await lode(['bd', 'tasks', 'link', '--session', 'second', issue])
    const { out } = await lode(['issue', 'show', issue])
    expect(out).toContain('○ Write docs (also in session second)')
    expect(out).toContain('○ Write the docs (also in session first)')
    expect(out).toContain('1/3 completed, 1 in progress')
    const { issues } = await answer<{ issues: { sessions: { sessionId: string; overlaps: unknown[] }[] }[] }>([
      'issue',
      'show',
      issue,
    ])
    expect(differences(issues[0], 'ShownIssue', 'issue')).toEqual([])
    expect(issues[0]?.sessions.map(({ overlaps }) => overlaps.length)).toEqual([1, 1])
    const of = await answer<{ session_id: string }[]>(['bd', 'tasks', 'list', '--bead', issue])
    expect(of.map(({ session_id: id }) => id).sort()).toEqual(['first', 'second'])
  })

  test('has its to-dos exported where somebody asks for it, and in no file else', async () => {
    const file = join(dir, '.lodeline', 'issues.jsonl')
    expect(readFileSync(file, 'utf8')).not.toContain('Write the parser')
    const { out } = await lode(['todo', 'export', '--issue', issue])
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { content: string; session_id: string })
    expect(lines.map(({ content }) => content).sort()).toEqual([
      'Read',
      'Write docs',
      'Write the docs',
      'Write the parser',
    ])
    expect(await answer<object>(['todo', 'export', '--issue', issue, '-o', 'todos.jsonl'])).toMatchObject({
      todoCount: 4,
    })
    expect(statSync(join(dir, 'todos.jsonl')).mode & 0o777).toBe(0o600)
    for (const words of [
      ['issue', 'export', '--include-todos'],
      ['bd', 'export', '--include-tasks'],
    ]) {
      const exported = JSON.parse((await lode(words)).out) as { id: string; todos: object[] }
      expect([exported.id, exported.todos.length]).toEqual([issue, 4])
      const { todos: _, ...rest } = exported
      expect(JSON.stringify(rest)).toBe((await lode(['issue', 'export'])).out.trimEnd())
    }

    writeFileSync(join(home, 'config.yaml'), 'todos.exportToJsonl: true\n')
    await lode(['issue', 'sync'])
    const line = JSON.parse(readFileSync(file, 'utf8')) as { todos: object[] }
    expect(line.todos).toHaveLength(4)
    const before = readFileSync(file, 'utf8')
    await lode(['issue', 'sync'])
    expect(readFileSync(file, 'utf8')).toBe(before)
    // By a hook they come to the record alone; the next command of the tracker writes them, whatever it is about.
    const list = items(['Read', 'completed'], ['Write the parser', 'in_progress'], ['Write docs', 'pending'])
    const contents = async (todos: object[], call: string) => {
      const at = { hook_event_name: 'PostToolUse', tool_use_id: call, cwd: dir }
      const input = JSON.stringify({ ...at, session_id: 'first', tool_name: 'TodoWrite', tool_input: { todos } })
      await runHook({ home, stdin: new Blob([input]).stream(), env: {} })
      expect((await lode(['issue', 'list'])).err).toBe('')
      const { todos: kept } = JSON.parse(readFileSync(file, 'utf8')) as { todos: { content: string }[] }
      return kept.map(({ content }) => content)
    }
    expect(await contents([...list, ...items(['By a hook', 'pending'])], 'toolu_h1')).toContain('By a hook')
    expect(await contents(list, 'toolu_h2')).not.toContain('By a hook')
    rmSync(join(home, 'config.yaml'))
  })

  test('ends, leaves what is open, and another one takes it over', async () => {
    expect((await lode(['todo', 'finalize', '--session', 'first'])).out).toBe(
      'Ended the to-dos of session first: 1 completed, 2 left open\n',
    )
    expect((await lode(['todo', 'list', '-s', 'first'])).out).toContain('○ Write docs (left open)')
    const { taken } = await answer<{ taken: string[] }>(['todo', 'take', '--from', 'first', '--session', 'second'])
    expect(taken).toHaveLength(2)
    expect((await lode(['todo', 'list', '-s', 'second'])).out).toContain('Write docs (from session first)')
    expect((await lode(['todo', 'take', '--from', 'first', '-s', 'second'])).out).toBe('no to-dos were left open.\n')
    expect((await lode(['todo', 'take', '-s', 'second'])).code).toBe(2)
  })

  test('has a to-do become an issue, once', async () => {
    const { todos } = await answer<Lists>(['todo', 'list', '--session', 'second'])
    const id = todos.find(({ content }) => content === 'Write the docs')?.id ?? ''
    const made = await answer<{ issue: { id: string; parentId: string } }>(['todo', 'promote', id, '-s', 'second'])
    expect(made.issue).toMatchObject({ parentId: issue, title: 'Write the docs' })
    expect((await lode(['bd', 'tasks', 'promote', '--task', id])).out).toStartWith(`Already ${made.issue.id} `)
    const { history } = await answer<{ history: { change: string }[] }>(['todo', 'history', id])
    expect(history[0]?.change).toBe('created')
  })

  test('is unlinked again', async () => {
    expect(await answer<object>(['todo', 'unlink', '-s', 'second'])).toEqual({ sessionId: 'second', issueIds: [issue] })
    expect((await lode(['todo', 'unlink', issue, '-s', 'second'])).out).toBe(
      'Session second was not linked to an issue\n',
    )
  })
})

test('a session that looked at one issue is offered to link it', async () => {
  const env = { CLAUDE_CODE_SESSION_ID: 'test' }
  await lode(['issue', 'show', issue], { env })
  const { out } = await lode(['todo', 'list'], { env })
  expect(out).toContain(`This session viewed only one issue. To link it: lode todo link ${issue} ("Log in")`)
})

test('without a session that is meant, a command that needs one says so, and says how to name it', async () => {
  const { code, err } = await lode(['todo', 'finalize'])
  expect([code, err]).toEqual([3, expect.stringContaining('Name it with --session ID.')])
  // A hook of another tool's making, with a variable that no release sets.
  expect((await lode(['bd', 'tasks', 'finalize', '--session', ''])).code).toBe(1)
})

test('switched off, they say so and hooks stay silent', async () => {
  writeFileSync(join(home, 'config.yaml'), 'todos.enabled: false\n')
  expect(await lode(['todo', 'list'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('todos.enabled is false'),
  })
  const input = sync('test', items(['More', 'pending']))
  expect(await lode(['todo', 'sync'], { input })).toMatchObject({ code: 0, out: '' })
  rmSync(join(home, 'config.yaml'))
})

test('text of agents reaches no terminal as a command to it', async () => {
  const evil = 'a\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202eback'
  await lode(['todo', 'sync'], { input: sync('evil', [{ content: evil, activeForm: evil, status: 'in_progress' }]) })
  const { out } = await lode(['todo', 'list', '-s', 'evil'])
  expect(out).toContain('red')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})
