/** Two sides that have nothing to do with one another, each with a machine, a project, tasks and conversations, behind one API. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createCaller } from '../../src/api/client/call'
import { createApp, operatorToken } from '../../src/api/server'
import { createIssueFiles } from '../../src/app/issue-files/issue-files'
import { trackerServices } from '../../src/app/issue-files/tracker-services'
import type { Column } from '../../src/domain/access/access'
import type { AttemptId } from '../../src/domain/ids'
import { ISSUE_LINK_SOURCES } from '../../src/domain/session/session-issue'
import type { Store } from '../../src/domain/store'
import { LEAD_TASK_TYPE } from '../../src/domain/task/task'
import type { Caller } from '../../src/domain/task/worker-protocol'
import type { UserRole } from '../../src/domain/user/user'
import { createBudgetService } from '../../src/engine/budgets/budget-service'
import { createInboxService } from '../../src/engine/inbox/inbox-service'
import { createMessageService } from '../../src/engine/messages/message-service'
import { createNotifyService } from '../../src/engine/notify/notify-service'
import { createNeedService } from '../../src/engine/overview/need-service'
import { createRegistryService } from '../../src/engine/registry/registry-service'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { createUserService } from '../../src/engine/users/user-service'
import { putSession, putTodos } from '../api/seed'
import { KeptLog, KeptServices, TOKEN } from '../api/start-api'
import { emptyRepository } from '../lab/empty-repository'
import { freshConversation } from '../mcp/served'

const OPERATOR: Caller = { kind: 'operator' }
const HOST = 'walk.invalid'
const TRACKERS = { issueWrites: 'always', linkFrom: ISSUE_LINK_SOURCES, closesPromoted: true } as const
/** Runs outlast the test on the slowest machine. */
const LEASE = { ms: 600_000, serverInstance: null }
const LEADS = { answers: 'all', allow: [], deny: [] } as const

let sides = 0

/** The API over a real store and the real use cases, in this process, with a client for every token. */
export function openWorld(store: Store) {
  const root = realpathSync(mkdtempSync('/tmp/ld-access-'))
  const log = new KeptLog()
  const services = Object.assign(new KeptServices(), {
    tasks: createTaskService({ store, hasFolder: true, leads: LEADS, lease: LEASE }),
    tokens: createTokenService({ store }),
    users: createUserService({ store }),
    registry: createRegistryService({ store, hasFolder: true }),
    messages: createMessageService({ store }),
    needs: createNeedService({ store }),
    notify: createNotifyService({ store }),
    budgets: createBudgetService({ store }),
    inbox: createInboxService({ store, hasFolder: true }),
    ...trackerServices(store, createIssueFiles({ hostName: 'host-1', home: '/nowhere', bd: [] }), TRACKERS),
  })
  const common = { store, services, version: '1.2.3', runtime: 'test', log }
  const hosts = new Set([HOST])
  const app = createApp({
    ...common,
    access: {
      kind: 'network',
      hosts: () => hosts,

      operatorToken: operatorToken(TOKEN),
      login: {},
    },
  })
  const transport = (token: string) => (request: Request) => {
    request.headers.set('host', HOST)
    request.headers.set('authorization', `Bearer ${token}`)
    return app.fetch(request)
  }

  /**
   * @param words  stand in every text of the side, beside its mark; default: the mark alone
   * @param more   stands behind them in every text that may be long
   */
  async function side(words?: string, more = '') {
    const n = ++sides
    const mark = `side-${n}-${crypto.randomUUID()}`
    const said = words === undefined ? mark : `${mark} ${words}`
    const told = said + more
    const dir = join(root, mark)
    emptyRepository(dir)
    const join_ = (kind: 'worker' | 'lead') =>
      services.tasks.join(OPERATOR, {
        name: `${kind}-${n}-${process.pid}`,
        kind,
        capabilities: [],
        concurrency: 10,
        hostname: 'box',
        hostName: `host-${mark}`,
        bootId: `boot-${n}`,
        isFormerGone: true,
        version: '1',
      })
    const worker = await join_('worker')
    const lead = await join_('lead')
    const asWorker: Caller = { kind: 'agent', agentId: worker.agent.id, agentKind: 'worker' }
    const asLead: Caller = { kind: 'agent', agentId: lead.agent.id, agentKind: 'lead' }
    const make = async (caller: Caller, given: object = {}) =>
      (await services.tasks.create(caller, { task: told, title: said, dir, ...given }, null)).task
    /** The worker takes the task that it was assigned, and begins. */
    const begin = async (live: { id: AttemptId; generation: number }[]) => {
      const { assignments } = await services.tasks.poll(asWorker, worker.agent.id, {
        bootId: `boot-${n}`,
        capacity: 1,
        attempts: live,
        waitMs: 0,
        isAssignedOnly: true,
      })
      const [given] = assignments
      if (given === undefined) throw new Error('nothing was assigned')
      const { attemptId, generation, token } = given
      const session = crypto.randomUUID()
      const log = [{ at: new Date().toISOString(), kind: 'text' as const, text: told }]
      const cli = { pid: 1, startedAt: null, cwd: dir, branch: null, base: null, cliVersion: null }
      await services.tasks.report(asWorker, attemptId, { conversation: freshConversation(session), process: cli, log })
      await store.write(async (tx) => {
        const row = await putSession(tx, session, { title: { text: said, rank: 1, at: 1 } })
        await putTodos(tx, row, [`${told} to-do`])
      })
      const taskId = given.task.id
      const caller: Caller = { kind: 'attempt', attemptId, taskId, agentId: worker.agent.id, generation }
      const [todo] = await store.todos.list({ sessionId: session as never })
      return { task: taskId, attempt: attemptId, generation, token, session, todo: todo?.id ?? '', caller }
    }
    await make(OPERATOR, { agentId: worker.agent.id, taskType: LEAD_TASK_TYPE })
    const leading = await begin([])
    const task = await make(asLead, { agentId: worker.agent.id, parentTaskId: leading.task, continuity: 'fresh' })
    const given = await begin([{ id: leading.attempt, generation: leading.generation }])
    const { session, todo, caller: asRun } = given
    const question = await services.tasks.ask(asWorker, given.attempt, {
      toolUseId: null,
      toolName: 'Bash',
      input: { command: told },
      description: told.slice(0, 2_000),
      default: 'deny',
      deadlineMs: 60_000,
    })
    const { ids } = await services.issues.create(
      OPERATOR,
      { dir },
      { title: said, description: told, issueType: 'epic' },
      null,
    )
    const { plan } = await services.tasks.createPlan(
      OPERATOR,
      { tasks: [{ key: 'a', task: told, dir, parentTaskId: task.id, status: 'backlog' }] },
      null,
    )
    const send = async (caller: Caller, to: string) =>
      (await services.messages.send(caller, { to, text: told }, null)).id
    await services.inbox.putSource(OPERATOR, { name: mark.slice(0, 90) })
    const request = await services.inbox.receive(mark.slice(0, 90), { sender: 'Ann', text: told }, mark)
    const viewer = await services.tokens.give(OPERATOR, { role: 'viewer', name: mark })
    /** A person of that role, with a token. */
    const person = async (role: UserRole) => {
      const { name } = await services.users.add(OPERATOR, { name: `${role} ${mark}`, role })
      return { name, token: (await services.tokens.give(OPERATOR, { user: name })).secret }
    }
    const [approver, admin, other] = [await person('approver'), await person('admin'), await person('viewer')]
    const byRun = (await make(asRun, { status: 'backlog', continuity: 'fresh' })).id
    return {
      mark,
      dir,
      hostName: `host-${mark}`,
      bootId: `boot-${n}`,
      worker: worker.agent.id,
      lead: lead.agent.id,
      names: new Map<string, string>([
        [worker.agent.id, worker.agent.name],
        [lead.agent.id, lead.agent.name],
      ]),
      task: task.id,
      attempt: given.attempt,
      session,
      todo,
      question: question.id,
      issue: ids[0] ?? '',
      plan: plan.id,
      message: await send(OPERATOR, task.id),
      sent: {
        lead: await send(asLead, task.id),
        worker: await send(asWorker, task.id),
        attempt: await send(asRun, byRun),
        leadRun: await send(leading.caller, task.id),
      },
      inbox: request.id,
      byRun,
      byWorker: (await make(asWorker, { status: 'backlog' })).id,
      /** A run that an operator made to lead: what it has, and a task that it made. The task of the other run is below it. */
      leading: {
        task: leading.task,
        attempt: leading.attempt,
        session: leading.session,
        todo: leading.todo,
        made: (await make(leading.caller, { status: 'backlog', continuity: 'fresh', task: `${mark} led` })).id,
      },
      byLead: (await make(asLead, { status: 'backlog' })).id,
      tokens: {
        lead: lead.token,
        worker: worker.token,
        attempt: given.token,
        leadRun: leading.token,
        viewer: viewer.secret,
        approver: approver.token,
      },
      admin: admin.token,
      users: { approver: approver.name, other: other.name },
      viewer: viewer.token.id,
    }
  }

  /** A caller of that kind who belongs to the side. */
  function callerOf(kind: Column | 'admin', of: Side) {
    const token = kind === 'operator' ? TOKEN : kind === 'admin' ? of.admin : of.tokens[kind]
    return createCaller(transport(token), {})
  }

  return {
    root,
    services,
    log,
    side,
    callerOf,
    async [Symbol.asyncDispose]() {
      await app.endFollowers()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export type World = ReturnType<typeof openWorld>
export type Side = Awaited<ReturnType<World['side']>>
