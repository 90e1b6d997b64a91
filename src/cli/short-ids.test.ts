/** Every argument and option of every command that takes an id takes its unique beginning, and what a table prints can be typed back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { createInboxService } from '../engine/inbox/inbox-service'
import { openStore } from '../store/open'
import { COMMANDS } from './command-table'
import { dispatch } from './dispatch'
import type { Command, CommandTree } from './kit/command'
import { fakeIo } from './kit/fake-io'

const TRANSCRIPTS = join(import.meta.dir, '../../test/fixtures/claude-code/transcripts/2.1.328')
const home = realpathSync(mkdtempSync('/tmp/ld-'))
emptyRepository(home)
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function lode(words: readonly string[], columns = 0) {
  const io = fakeIo({ env: { HOME: home, LODELINE_HOME: join(home, 'lode'), USER: 'me' }, cwd: home, columns })
  const code = await dispatch([...words], io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}
async function answer<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await lode([...words, '--json'])
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as T
}

/** Whole ids of one thing of each kind. */
const ids = {
  SESSION: '',
  OTHER: '',
  SUBAGENT: '',
  SHELL: '',
  EVENT: '',
  TOOL: '',
  TASK: '',
  TASK2: '',
  ISSUE: '',
  EPIC: '',
  PLAN: '',
  MESSAGE: '',
  INBOX: '',
  TOKEN: '',
  TODO: '',
  TODO_SESSION: '',
}
type Kind = keyof typeof ids

interface Row {
  id: string
  kind?: string
  toolUseId?: string | null
}
beforeAll(async () => {
  await answer('import', TRANSCRIPTS)
  const { sessions } = await answer<{ sessions: Row[] }>('session', 'list', '--all')
  for (const { id } of sessions) {
    const { subagents } = await answer<{ subagents: Row[] }>('subagent', 'list', '-s', id)
    const { todos } = await answer<{ todos: Row[] }>('todo', 'list', '-s', id)
    const agent = subagents.find(({ kind }) => kind === 'agent')
    const shell = subagents.find(({ kind }) => kind === 'shell')
    if (agent && !ids.SUBAGENT) Object.assign(ids, { SESSION: id, SUBAGENT: agent.id })
    if (shell && !ids.SHELL) ids.SHELL = shell.id
    if (todos[0] && !ids.TODO) Object.assign(ids, { TODO: todos[0].id, TODO_SESSION: id })
    if (id !== ids.SESSION) ids.OTHER = id
  }
  const { events } = await answer<{ events: Row[] }>('event', 'list', '-s', ids.SESSION, '--all')
  ids.EVENT = events[0]?.id ?? ''
  ids.TOOL = events.find(({ toolUseId }) => toolUseId)?.toolUseId ?? ''
  const task = async (...words: string[]) => (await answer<{ task: Row }>('task', 'create', ...words)).task.id
  ids.TASK = await task('a')
  ids.TASK2 = await task('b')
  ids.ISSUE = (await answer<{ issue: Row }>('issue', 'create', 'one')).issue.id
  ids.EPIC = (await answer<{ epic: Row }>('epic', 'create', 'all')).epic.id
  ids.MESSAGE = (await answer<{ message: Row }>('message', 'send', ids.TASK, 'hello')).message.id
  await answer('inbox', 'source', 'add', 'desk')
  ids.TOKEN = (await answer<{ token: Row }>('token', 'create', '--name', 'Ada')).token.id
  const store = await openStore({ path: join(home, 'lode/lodeline.db'), mode: 'read-write' })
  ids.INBOX = (await createInboxService({ store }).receive('desk', { sender: 'Ann', text: 'help' }, 'one')).id
  await store.close()
  await Bun.write(join(home, 'plan.json'), JSON.stringify({ tasks: [{ key: 'a', task: 'a' }] }))
  ids.PLAN = (await answer<{ plan: Row }>('plan', 'create', 'plan.json')).plan.id
})

/** Commands that only read: with the beginning they answer what they answer with the whole id. */
const READING = [
  'session show SESSION',
  'session show SESSION --only SUBAGENT',
  'session tree SESSION',
  'session timeline SESSION',
  'session diff SESSION OTHER',
  'session compare SESSION OTHER',
  'session messages SESSION',
  'session list --forked-from SESSION',
  'event list --session SESSION',
  'event list --session SESSION --subagent SUBAGENT',
  'event list --subagent SUBAGENT',
  'event list --session SESSION --tool-use TOOL',
  'event list --session SESSION --parent-tool-use TOOL',
  'event show SESSION EVENT',
  'subagent list --session SESSION',
  'subagent show SUBAGENT --session SESSION',
  'subagent show SHELL',
  'subagent output SUBAGENT --session SESSION',
  'todo list --session TODO_SESSION',
  'todo list --session SESSION --subagent SUBAGENT',
  'todo list --issue ISSUE',
  'todo history TODO',
  'todo export --issue ISSUE',
  'task show TASK',
  'task tree TASK',
  'task log TASK',
  'task list --parent TASK',
  'task list --epic EPIC',
  'task list --issue ISSUE',
  'task list --session SESSION',
  'question list --task TASK',
  'message list --to TASK',
  'message list --from SESSION',
  'message list --task TASK',
  'message show MESSAGE',
  'inbox list --task TASK',
  'inbox show INBOX',
  'plan show PLAN',
  'epic show EPIC',
  'issue show ISSUE',
  'issue ready --parent ISSUE',
  'issue ready --explain ISSUE',
  'dep list ISSUE',
  'comment list ISSUE',
  'cost list --by day --session SESSION',
  'cost list --by day --task TASK',
  'search a --session SESSION',
  'recover --session SESSION',
  'prime --session SESSION',
] as const

/** Commands that change something: done with a beginning, the answer holds the whole id. */
const CHANGING = [
  'task create x --parent TASK2 --after TASK --epic EPIC --issue ISSUE',
  'task edit TASK2 --epic EPIC --issue ISSUE --after TASK',
  'task pause TASK2',
  'task resume TASK2',
  'epic add EPIC x --after TASK --issue ISSUE --parent TASK2',
  'plan create plan.json --parent TASK2',
  'subagent mark-read SUBAGENT --session SESSION',
  'message send TASK hello --reply-to MESSAGE',
  'message withdraw MESSAGE',
  'issue update ISSUE --claim --session SESSION',
  'issue close ISSUE --session SESSION',
  'issue reopen ISSUE --session SESSION',
  'todo link ISSUE --session TODO_SESSION',
  'todo unlink ISSUE --session TODO_SESSION',
  'inbox delegate INBOX look --parent TASK2',
  'inbox reply INBOX seen',
  'inbox close INBOX',
  'token revoke TOKEN',
  'task cancel TASK2',
  'todo finalize --session TODO_SESSION',
  'session attach SESSION',
  'session detach SESSION',
] as const

const WORD =
  /\b(?:SESSION|OTHER|SUBAGENT|SHELL|EVENT|TOOL|TASK2?|ISSUE|EPIC|PLAN|MESSAGE|INBOX|TOKEN|TODO(?:_SESSION)?)\b/g
/** Those of a list differ in their last character alone. */
const LETTERS: Partial<Record<Kind, number>> = {
  TODO: 200,
  TOOL: 14,
  SUBAGENT: 9,
  SHELL: 6,
  ISSUE: 6,
  EPIC: 6,
  EVENT: 13,
}
const beginning = (kind: Kind) => ids[kind].slice(0, LETTERS[kind] ?? 9)
const words = (line: string, name: (kind: Kind) => string) =>
  line.split(' ').map((word) => word.replace(WORD, (kind) => name(kind as Kind)))

describe('with the beginning of an id as with the whole:', () => {
  for (const line of READING)
    test(`lode ${line}`, async () => {
      for (const kind of line.match(WORD) ?? []) expect([kind, ids[kind as Kind]]).not.toEqual([kind, ''])
      const whole = await lode([...words(line, (kind) => ids[kind]), '--json'])
      const short = await lode([...words(line, beginning), '--json'])
      expect(short).toEqual(whole)
      expect([line, whole.code, whole.err]).toEqual([line, 0, expect.anything()])
    })
  test('commands that change something, one after the other', async () => {
    for (const line of CHANGING) {
      const { code, out, err } = await lode([...words(line, beginning), '--json'])
      expect([line, code, err]).toEqual([line, 0, expect.anything()])
      for (const kind of Object.keys(ids) as Kind[])
        if (beginning(kind) !== ids[kind])
          expect([line, out]).not.toEqual([line, expect.stringContaining(`"${beginning(kind)}"`)])
    }
  })
})

describe('what a table prints can be typed back:', () => {
  const column = (out: string, title: string) => {
    const [head = '', ...lines] = out.split('\n')
    const at = head.split(/\s+/).indexOf(title)
    return lines.filter((line) => line.trim() !== '').map((line) => line.trim().split(/\s+/)[at] ?? '')
  }
  test('sessions and their sub-agents, shells among them, on a narrow screen', async () => {
    const shown = column((await lode(['session', 'list', '--all'], 80)).out, 'ID')
    expect(shown.length).toBeGreaterThan(5)
    let count = 0
    for (const id of shown) {
      expect([id, (await lode(['session', 'show', id])).code]).toEqual([id, 0])
      const rows = (await lode(['subagent', 'list', '--session', id], 80)).out
      for (const agent of rows === '' ? [] : column(rows, 'ID')) {
        count++
        expect([agent, (await lode(['subagent', 'show', agent, '--session', id])).code]).toEqual([agent, 0])
        expect([agent, (await lode(['event', 'list', '--subagent', agent, '-s', id])).code]).toEqual([agent, 0])
      }
    }
    expect(count).toBeGreaterThan(5)
  })
  test('the session of an event, a to-do and a hit', async () => {
    for (const line of [
      ['event', 'list', '-n', '20'],
      ['todo', 'list', '--active'],
    ])
      for (const id of column((await lode(line, 120)).out, 'SESSION'))
        expect([id, (await lode(['session', 'show', id])).code]).toEqual([id, 0])
  })
})

/** Takes an id by its own words, or refuses without one: each with why it is not among the commands above. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'issue create --id': 'makes the id',
  'session forget ID': 'wants the whole id: nothing comes back',
  'secret scan --session': 'scans first, so that two answers differ; resolved as sessions are',
  'secret erase ID': 'wants the whole id: nothing comes back',
  'session export ID': 'writes files; resolved as sessions are',
  'session resume ID': 'resolved as sessions are',
  'share create SESSION': 'needs a server; resolved as sessions are',
  'share create --beside': 'needs a server; resolved as sessions are',
  'share revoke ID': 'resolved as token revoke does; see test/app/share.test.ts',
  'session resume --assign': 'by name',
  'question answer ID': 'needs a run: see test/api/contract/short-ids.test.ts',
  'need dismiss ID': 'needs a failed task: see test/e2e/overview.test.ts',
  'need snooze ID': 'finds the need as need dismiss does',
  'budget add --task': 'resolved by the server, as by task show',
  'agent show AGENT': 'needs an agent: see test/api/contract/short-ids.test.ts',
  'task open TASK': 'starts a program',
  'task diff ID': 'needs a worktree; resolved as by task show',
  'task merge ID': 'needs a worktree; resolved as by task show',
  'task drop ID': 'needs a worktree; resolved as by task show',
  'task wait ID': 'waits',
  'run --task': 'runs',
  'run --after': 'runs; made as tasks are',
  'run --epic': 'runs; made as tasks are',
  'run --issue': 'runs; made as tasks are',
  'run --parent': 'runs; made as tasks are',
  'up --host': 'an address of the network',
  'serve --host': 'an address of the network',
  'subagent stop ID': 'ends a process',
  'subagent stop --session': 'ends a process',
  'todo sync --session': 'of hooks: a session begins with its first payload',
  'todo sync --issue': 'an issue of this tracker',
  'orchestrate --resume': 'runs',
  'feed --session': 'follows',
  'handoff --to': 'an issue of this tracker',
  'handoff --session': 'resolved as sessions are',
  'open PATH|ID': 'needs a server',
  'backup TO': 'is a file',
}
const IS_ID = /^(?:ID|SESSION|TASK|AGENT|PLAN|TO|A|B|SUBAGENT|MESSAGE|ADDRESS|PATH\|ID)$/
const BY_ISSUE = /^(?:issue|dep|label|comment|epic status|bd|todo (?:take|promote))\b/

test('no command takes an id that is not tried here', async () => {
  const lines: readonly string[] = [...READING, ...CHANGING]
  const missing: string[] = []
  for (const [path, { args = [], options = {} }] of await collect(COMMANDS, '')) {
    // The tracker's own ids have rules and tests of their own; sessions that act there are tried above.
    if (BY_ISSUE.test(path)) continue
    const own = lines.filter((line) => line.startsWith(`${path} `))
    for (const { name } of args)
      if (IS_ID.test(name) && own.length === 0 && !ELSEWHERE[`${path} ${name}`] && !/^task /.test(path))
        missing.push(`${path} ${name}`)
    for (const [name, spec] of Object.entries(options))
      if (spec.kind === 'text' && IS_ID.test(spec.value) && spec.value !== 'AGENT')
        if (!own.some((line) => line.includes(`--${name} `)) && !ELSEWHERE[`${path} --${name}`])
          missing.push(`${path} --${name}`)
  }
  expect(missing).toEqual([])
})

async function collect(tree: CommandTree, path: string): Promise<[string, Command][]> {
  const found: [string, Command][] = []
  for (const [name, entry] of Object.entries(tree)) {
    if (typeof entry === 'function') found.push([`${path} ${name}`.trim(), (await entry()).command])
    else found.push(...(await collect(entry.verbs, `${path} ${name}`.trim())))
  }
  return found
}
