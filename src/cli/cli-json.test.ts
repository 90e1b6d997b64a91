import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FEED_KINDS } from '../domain/feed'
import { EVENT_TYPES, LINK_EVIDENCE, TODO_STATUSES } from '../domain/record/observation'
import { SESSION_STATUSES, SUBAGENT_STATUSES } from '../domain/session/session'
import {
  ATTEMPT_OUTCOMES,
  FAILURE_CLASSES,
  PAUSERS,
  RUNGS,
  SHOWN_TASK_STATUSES,
  TASK_LOG_KINDS,
  WAITS,
} from '../domain/task/task'
import { COMMANDS } from './command-table'
import { dispatch } from './dispatch'
import type { CommandTree } from './kit/command'
import { fakeIo } from './kit/fake-io'
import { differences, document, shapes } from './kit/json-shapes'

const TRANSCRIPTS = join(import.meta.dir, '../../test/fixtures/claude-code/transcripts/2.1.328')

const home = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(home, { recursive: true, force: true }))
const never = new AbortController().signal
async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: home, LODELINE_HOME: join(home, 'lode') }, cwd: home })
  const code = await dispatch([...words, '--json'], io, never)
  return { code, out: io.stdout, err: io.stderr }
}
async function answer(...words: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await lode(...words)
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

let imported: Record<string, unknown>
/** A session with nested sub-agents, one with to-dos, one with a background shell. */
const ids = { agents: '', todos: '', shell: '' }
beforeAll(async () => {
  imported = await answer('import', TRANSCRIPTS)
  const { sessions } = (await answer('session', 'list')) as {
    sessions: { id: string; counts: { subagents: number } }[]
  }
  for (const { id } of sessions) {
    const detail = await answer('session', 'show', id)
    if (!ids.agents && (detail.subagents as unknown[]).length > 1) ids.agents = id
    if (!ids.todos && (detail.todos as unknown[]).length > 0) ids.todos = id
    if (!ids.shell && (detail.backgroundTasks as unknown[]).length > 0) ids.shell = id
  }
})

describe('the answer of', () => {
  const pinned = (name: string, run: () => Promise<unknown>, holds: (value: never) => boolean = () => true) =>
    test(`${name} is what the document says`, async () => {
      const value = await run()
      expect(differences(value, name, name)).toEqual([])
      expect(holds(value as never)).toBe(true)
    })

  pinned(
    'lode import',
    async () => imported,
    (v: { sessions: number; events: number }) => v.sessions > 3 && v.events > 50,
  )
  pinned('lode status', () => answer('status'))
  pinned('lode digest', () => answer('digest', '--since', '90d'))
  pinned(
    'lode session list',
    () => answer('session', 'list', '--limit', '2'),
    (v: { nextCursor: string }) => v.nextCursor !== null,
  )
  pinned(
    'lode session show',
    () => answer('session', 'show', ids.agents),
    (v: { subagents: unknown[] }) => v.subagents.length > 1,
  )
  pinned(
    'lode session show',
    () => answer('session', 'show', ids.shell),
    (v: { backgroundTasks: unknown[] }) => v.backgroundTasks.length > 0,
  )
  pinned(
    'lode session tree',
    () => answer('session', 'tree', ids.agents),
    (v: { tree: { children: unknown[] } }) => v.tree.children.length > 0,
  )
  pinned(
    'lode session show --conversation',
    () => answer('session', 'show', ids.agents, '--conversation', '--depth', '2', '--full'),
    (v: { turns: { items: { branches: { turns: unknown[] }[] }[] }[] }) =>
      v.turns.some((turn) => turn.items.some((item) => item.branches.some((branch) => branch.turns.length > 0))),
  )
  pinned(
    'lode session show --conversation',
    () => answer('session', 'show', ids.agents, '--flat'),
    (v: { nodes: unknown[] }) => v.nodes.length > 2,
  )
  pinned(
    'lode session timeline',
    () => answer('session', 'timeline', ids.agents),
    (v: { lanes: unknown[] }) => v.lanes.length > 2,
  )
  pinned(
    'lode session diff',
    () => answer('session', 'diff', ids.agents, ids.shell),
    (v: { relation: string }) => v.relation === 'unrelated',
  )
  pinned(
    'lode session export',
    () => answer('session', 'export', ids.agents, '--to', 'out'),
    (v: { files: unknown[] }) => v.files.length > 2,
  )
  pinned(
    'lode event list',
    () => answer('event', 'list', '--session', ids.agents, '--all'),
    (v: { events: unknown[] }) => v.events.length > 10,
  )
  pinned('lode event show', async () => {
    const { events } = (await answer('event', 'list', '-s', ids.agents, '-n', '1')) as { events: { id: string }[] }
    return answer('event', 'show', ids.agents, events[0]?.id ?? '')
  })
  pinned(
    'lode subagent list',
    () => answer('subagent', 'list', '-s', ids.shell),
    (v: { subagents: unknown[] }) => v.subagents.length > 0,
  )
  pinned('lode subagent show', async () => {
    const { subagents } = (await answer('subagent', 'list', '-s', ids.agents)) as { subagents: { id: string }[] }
    return answer('subagent', 'show', subagents[0]?.id ?? '', '-s', ids.agents)
  })
  pinned(
    'lode todo list',
    () => answer('todo', 'list', '--session', ids.todos, '--removed'),
    (v: { todos: unknown[] }) => v.todos.length > 0,
  )
  pinned(
    'lode search',
    () => answer('search', 'search'),
    (v: { hits: unknown[] }) => v.hits.length > 0,
  )
  pinned(
    'lode cost list',
    () => answer('cost', 'list', '--by', 'session'),
    (v: { rows: unknown[]; total: { messages: number } }) => v.rows.length > 3 && v.total.messages > 20,
  )
  pinned(
    'lode cost over-time',
    () => answer('cost', 'over-time', '--since', '2020-01-01', '--step', 'week'),
    (v: { periods: unknown[]; stacks: unknown[] }) => v.periods.length > 0 && v.stacks.length > 0,
  )
  pinned('lode prime', () => answer('prime', '--session', ids.todos))
  pinned('lode handoff', () => answer('handoff', 'Mind the cat', '--session', ids.todos))
  pinned(
    'lode issue merge',
    () => {
      const line = (title: string) => `{"id":"a-1","title":"${title}"}\n`
      for (const title of ['ours', 'theirs']) writeFileSync(join(home, `${title}.jsonl`), line(title))
      return answer('issue', 'merge', 'none', join(home, 'ours.jsonl'), join(home, 'theirs.jsonl'), '--out', '-')
    },
    (v: { decisions: unknown[] }) => v.decisions.length === 1,
  )
  pinned('lode setup claude', () => answer('setup', 'claude', '--file', join(home, 'settings.json')))
  pinned('lode doctor', () => answer('doctor'))
  pinned(
    'lode rebuild',
    () => answer('rebuild'),
    (v: { events: number }) => v.events === imported.events,
  )
  pinned(
    'lode config list',
    () => answer('config', 'list'),
    (v: { settings: unknown[] }) => v.settings.length > 5,
  )
  pinned('lode config get', () => answer('config', 'get', 'agents.claude-code.homes'))
  pinned(
    'lode config set',
    () => answer('config', 'set', 'collector.rescanSeconds', '20'),
    (v: { isChanged: boolean }) => v.isChanged,
  )
  pinned(
    'lode config path',
    () => answer('config', 'path'),
    (v: { userFileExists: boolean }) => v.userFileExists,
  )
  pinned(
    'lode backup',
    () => answer('backup', join(home, 'backup.tar.gz')),
    (v: { bytes: number }) => v.bytes > 0,
  )
  pinned(
    'lode restore',
    () => answer('restore', join(home, 'backup.tar.gz'), '--home', join(home, 'restored')),
    (v: { files: number }) => v.files > 0,
  )
  pinned(
    'lode retention',
    () => answer('retention', '--days', '1'),
    (v: { chosen: unknown; days: number }) => v.chosen === null && v.days === 1,
  )
  pinned('lode service install', () => answer('service', 'install', '--dry-run'))
  pinned('lode service remove', () => answer('service', 'remove'))
  pinned('lode service status', async () => {
    const { code, out } = await lode('service', 'status')
    expect(code).toBe(3)
    return JSON.parse(out)
  })
  pinned('lode service logs', () => answer('service', 'logs'))
  pinned('lode upgrade', () => answer('upgrade', '--check'))
  pinned('lode uninstall', () => answer('uninstall', '--dry-run'))
  pinned('lode version', () => answer('version'))
  pinned(
    'lode db migrate status',
    () => answer('db', 'migrate', 'status'),
    (v: { version: number }) => v.version > 0,
  )
  pinned(
    'lode db migrate status',
    () => answer('db', 'migrate', 'status', '--home', join(home, 'none')),
    (v: { pending: unknown[] }) => v.pending.length > 0,
  )
  pinned(
    'lode db migrate up',
    () => answer('db', 'migrate', 'up'),
    (v: { applied: unknown[] }) => v.applied.length === 0,
  )
  pinned(
    'lode db migrate down',
    async () => {
      await answer('db', 'migrate', 'up', '--home', join(home, 'other'))
      return answer('db', 'migrate', 'down', '--yes', '--home', join(home, 'other'))
    },
    (v: { reverted: unknown[] }) => v.reverted.length === 1,
  )
  pinned(
    'lode db check',
    () => answer('db', 'check'),
    (v: { isHealthy: boolean }) => v.isHealthy,
  )
  pinned(
    'lode db report',
    () => answer('db', 'report'),
    (v: { tables: unknown[] }) => v.tables.length > 0,
  )
  pinned('lode db vacuum', () => answer('db', 'vacuum'))
  pinned(
    'lode session forget',
    () => answer('session', 'forget', ids.shell, '--yes'),
    (v: { bytes: number }) => v.bytes > 0,
  )

  pinned('lode secret scan', () => answer('secret', 'scan'))

  pinned(
    'lode audit list',
    () => answer('audit', 'list'),
    (v: { lines: { target: string }[] }) => v.lines.some(({ target }) => target === ids.shell),
  )
  pinned(
    'lode audit verify',
    () => answer('audit', 'verify'),
    (v: { isWhole: boolean }) => v.isWhole,
  )

  test('lode feed is one document a line, as the document says', async () => {
    const { out } = await lode('feed', '--after', '0')
    const entries = out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(entries.length).toBeGreaterThan(5)
    expect(entries.flatMap((entry) => differences(entry, 'lode feed', 'entry'))).toEqual([])
  })

  test('a failing command is nothing on stdout and one error on stderr', async () => {
    const { code, out, err } = await lode('session', 'show', 'none-such')
    expect([code, out]).toEqual([3, ''])
    const body = JSON.parse(err) as { error: unknown }
    expect(differences(body.error, 'Error', 'error')).toEqual([])
  })
})

describe('the document', () => {
  test('has a table for every command that answers in JSON, and for no other', async () => {
    const paths = async (tree: CommandTree, path: string): Promise<string[]> =>
      (
        await Promise.all(
          Object.entries(tree).map(async ([name, entry]) => {
            if (typeof entry !== 'function') return paths(entry.verbs, `${path} ${name}`)
            return (await entry()).command.hasJson === false ? [] : [`${path} ${name}`]
          }),
        )
      ).flat()
    // An answer of its own by an option (`--explain`) has a table beside its command's; those of `bd` are bd's.
    const documented = [...shapes.keys()].filter((name) => name.startsWith('lode ') && !name.includes(' --'))
    const own = (await paths(COMMANDS, 'lode')).filter((path) => !path.startsWith('lode bd '))
    expect(documented.sort()).toEqual(own.sort())
  })
  test('uses every shape that it has, and has every shape that it uses', () => {
    const used = new Set(
      [...shapes.values()].flatMap((fields) => [...fields.values()].flatMap((type) => type.match(/\b[A-Z]\w+/g) ?? [])),
    )
    used.add('Error')
    expect([...shapes.keys()].filter((name) => !name.startsWith('lode ')).sort()).toEqual([...used].sort())
  })
  test('has phrases for meanings, without a full stop', () => {
    expect(document.match(/^\|.*\. \|$/gm)).toBeNull()
  })
  test('names every word of the closed lists', () => {
    const records = [EVENT_TYPES, LINK_EVIDENCE, TODO_STATUSES, FEED_KINDS, SESSION_STATUSES, SUBAGENT_STATUSES].flat()
    const tasks = [SHOWN_TASK_STATUSES, ATTEMPT_OUTCOMES, FAILURE_CLASSES, PAUSERS, RUNGS, TASK_LOG_KINDS, WAITS].flat()
    for (const word of [...records, ...tasks]) expect(document).toContain(`\`${word}\``)
  })
})
