/** The API in this process over a real store, its own home and a project with a tracker: what commands speak to. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../src/api/client'
import { createApp } from '../../src/api/server'
import { ensureHome, hostIdentity } from '../../src/app/files/home'
import { createIssueFiles } from '../../src/app/issue-files/issue-files'
import { trackerSettings } from '../../src/app/issue-files/tracker-services'
import { createServices } from '../../src/app/services'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { createWriteServices } from '../../src/app/write-services'
import { loadConfig } from '../../src/config/load'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { hookJournalFolder } from '../../src/util/hook-journal'
import { silentLogger } from '../../src/util/log'
import { declaredApp } from '../api/answers/declared-answers'
import { emptyRepository } from '../lab/empty-repository'

export function todoLab(store: KeptStore, settings = '') {
  const root = realpathSync(mkdtempSync('/tmp/ld-todo-'))
  const home = join(root, 'home')
  const dir = join(root, 'project')
  emptyRepository(dir)
  ensureHome(home)
  mkdirSync(hookJournalFolder(home), { recursive: true, mode: 0o700 })
  if (settings !== '') writeFileSync(join(home, 'config.yaml'), settings)
  const config = loadConfig({ cwd: root, env: { HOME: root, LODELINE_HOME: home }, flags: {} })
  const host = hostIdentity(home)
  const engine = createRecordEngine(store, host)
  const issueFiles = createIssueFiles({ hostName: host.name, home, bd: [] })
  const writes = createWriteServices({
    store,
    issueFiles,
    followedRoots: { hostName: host.name, roots: [] },
    trackers: trackerSettings(config),
    hasFolder: true,
    spawnLimits: config.tasks,
    lease: { ms: config.tasks.leaseMs, serverInstance: null },
  })
  const services = createServices({
    config,
    store,
    engine: async () => engine,
    writes: async (noun) => writes[noun],
    issueFiles,
    collector: null,
    host,
    followedRoots: [],
  })
  const app = declaredApp(
    createApp({
      store,
      services,
      access: { kind: 'in_process' },
      version: '0',
      runtime: 'test',
      log: silentLogger,
    }),
  )
  const client = createClient((request) => app.fetch(request))
  /** What the CLI's hook gives for a TodoWrite, or less. */
  const sync = (session: string, todos: unknown[], more: Record<string, unknown> = {}) =>
    client.todos.sync(
      session,
      Buffer.from(JSON.stringify({ session_id: session, tool_name: 'TodoWrite', tool_input: { todos }, ...more })),
    )
  /** A hook of the session's, as a server takes it. */
  const hook = async (session: string, payload: Record<string, unknown>) => {
    await services.recordHook(Buffer.from(JSON.stringify({ session_id: session, cwd: dir, ...payload })))
    await engine.recordFile({
      agent: 'claude-code',
      kind: 'hooks',
      path: join(hookJournalFolder(home), 'hooks.jsonl'),
      sessionId: null,
      subagentId: null,
    })
  }
  return {
    home,
    dir,
    root,
    app,
    client,
    services,
    sync,
    hook,
    rebuild: () => engine.rebuild(),
    issue: async (title: string, more: object = {}) => (await client.issues.create({ dir, title, ...more })).issue,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export type TodoLab = ReturnType<typeof todoLab>

let sessions = 0
/** An id of a session that no other test uses. */
export const newSession = (): string =>
  `${String(++sessions).padStart(8, '0')}-0000-4000-8000-${crypto.randomUUID().slice(24)}`
